import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { type ParsedEvent, type Posting, type PostingResult, parseEvent } from '../../ingest/posting.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { HttpError } from '../request/http-error.ts';

/** Most bytes of a JSON body: parsing it must not block the HTTP thread for more than 50 ms. */
export const MAX_JSON_BYTES = 8_388_608;
/** Most events of a JSON body: the response has a result for each, and eight megabytes hold four million numbers. */
const MAX_JSON_EVENTS = 100_000;
/** Advice for a body that is too large. */
export const STREAM_HINT = ': send it as application/x-ndjson, one event a line';

const EVENTS_PER_SLICE = 1000;
const EVENTS_PER_POST = 5000;
/** Milliseconds that a person waits for the results of a few events: those of one post. */
const FEW_TIMEOUT_MS = 10_000;

/** The events of a body `{"changes": […]}`, not yet checked. @throws TidemarkError `invalid`; HttpError 413 */
export function parseChangesBody(bytes: Buffer): readonly unknown[] {
  if (!isUtf8(bytes)) throw wrongBody('not-utf-8', 'the body is not UTF-8');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw wrongBody('not-json', `the body is not JSON: ${(error as Error).message}`);
  }
  if (typeof body !== 'object' || body === null || !('changes' in body) || !Array.isArray(body.changes)) {
    throw wrongBody('no-changes', 'the body is a JSON object with an array "changes"', 'changes');
  }
  const unknown = Object.keys(body).find((name) => name !== 'changes');
  if (unknown === undefined) return requireFew(body.changes);
  throw wrongBody(
    'unknown-field',
    `there is no field ${JSON.stringify(unknown.slice(0, 80))} besides "changes"`,
    unknown,
  );
}

function requireFew(events: readonly unknown[]): readonly unknown[] {
  if (events.length <= MAX_JSON_EVENTS) return events;
  const message = `the body has more than ${MAX_JSON_EVENTS} events${STREAM_HINT}`;
  throw new HttpError(413, { code: 'too-many-events', message });
}

/**
 * Posts events, and resolves with their results, in order.
 * @throws TidemarkError `unavailable` when a few events take more than ten seconds: they may be stored
 */
export function postChanges(values: readonly unknown[], posting: Posting): Promise<readonly PostingResult[]> {
  const posted = postAll(values, posting);
  if (values.length > EVENTS_PER_POST) return posted;
  return withTimeout(posted, FEW_TIMEOUT_MS, () => {
    const message = 'the store is slow: the events may be stored later; post them again in a few seconds';
    throw new TidemarkError('unavailable', message);
  });
}

async function postAll(values: readonly unknown[], posting: Posting): Promise<readonly PostingResult[]> {
  const events = await parseInSlices(values, posting);
  const posts: Promise<readonly PostingResult[]>[] = [];
  for (let at = 0; at < events.length; at += EVENTS_PER_POST) {
    posts.push(posting.post(events.slice(at, at + EVENTS_PER_POST)));
  }
  return (await Promise.all(posts)).flat();
}

async function parseInSlices(values: readonly unknown[], posting: Posting): Promise<readonly ParsedEvent[]> {
  const events: ParsedEvent[] = [];
  for (const value of values) {
    events.push(parseEvent(events.length + 1, value, posting));
    if (events.length % EVENTS_PER_SLICE === 0) await setImmediate();
  }
  return events;
}

function wrongBody(code: string, message: string, field = 'body'): TidemarkError {
  return new TidemarkError('invalid', message, { code, field });
}
