import { TidemarkError } from '../core/errors.ts';
import { isMediaType, MAX_MEDIA_TYPE_LENGTH } from '../core/media-type.ts';
import { codeOfProblem, parseDatetime, type Seconds } from '../core/w3c-datetime.ts';

const NOT_REPRESENTABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;
const DAY_IN_SECONDS = 86_400;

// Values of posted events. Each function throws TidemarkError `invalid`, with the field at fault and a code.

/** @param now milliseconds since 1970: a time more than a day later is refused */
export function toSeconds(field: string, text: string, now: number): Seconds {
  const microseconds = parseDatetime(text);
  if (typeof microseconds === 'string') {
    const found = JSON.stringify(text.slice(0, 80));
    throw wrong(field, codeOfProblem(microseconds), `is ${found}, ${microseconds}: write 2026-01-31T12:00:00Z`);
  }
  const seconds = Math.floor(microseconds / 1_000_000);
  if (seconds > now / 1000 + DAY_IN_SECONDS) {
    throw wrong(field, 'datetime-in-future', `is ${text}, more than a day in the future`);
  }
  return seconds;
}

export function checkMediaType(field: string, text: string): string {
  if (isMediaType(text)) return text;
  checkRepresentable(field, text);
  const found = JSON.stringify(text.slice(0, 80));
  const [type = ''] = text.split(';');
  const why = isMediaType(type.trim())
    ? `whose parameters cannot be published: write them as charset=utf-8, without <, > and \\, and all in at most ${MAX_MEDIA_TYPE_LENGTH} characters`
    : 'which is not a media type such as text/plain';
  throw wrong(field, 'bad-media-type', `is ${found}, ${why}`);
}

export function checkRepresentable(field: string, text: string): void {
  if (text.isWellFormed() && !NOT_REPRESENTABLE.test(text)) return;
  throw wrong(field, 'not-representable', 'has control characters or lone surrogates, which XML cannot hold');
}

export function wrong(field: string, code: string, message: string): TidemarkError {
  return new TidemarkError('invalid', `${field} ${message}`, { code, field });
}
