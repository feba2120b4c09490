import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { ChangeEvent } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Posting, PostingResult } from '../../ingest/ndjson-posting.ts';
import { isRejection, parsePostedEvent } from '../../ingest/posted-event.ts';
import type { Rejection } from '../../ingest/rejection.ts';

/** The most bytes of a JSON body: parsing it must not hold the HTTP thread for more than 50 ms. */
export const MAX_JSON_BYTES = 8_388_608;

const EVENTS_PER_SLICE = 1000;
const EVENTS_PER_POST = 5000;

/** The events of a body `{"changes": […]}`, not yet checked. @throws TidemarkError `invalid` */
export function parseChangesBody(bytes: Buffer): readonly unknown[] {
  if (!isUtf8(bytes)) throw wrongBody('not-utf-8', 'the body is not UTF-8');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw wrongBody('not-json', `the body is no JSON: ${(error as Error).message}`);
  }
  if (typeof body !== 'object' || body === null || !('changes' in body) || !Array.isArray(body.changes)) {
    throw wrongBody('no-changes', 'the body is a JSON object with an array "changes"', 'changes');
  }
  const unknown = Object.keys(body).find((name) => name !== 'changes');
  if (unknown === undefined) return body.changes;
  throw wrongBody(
    'unknown-field',
    `there is no field ${JSON.stringify(unknown.slice(0, 80))} beside "changes"`,
    unknown,
  );
}

/** Posts events and resolves with what became of each, in order. */
export async function postChanges(values: readonly unknown[], posting: Posting): Promise<readonly PostingResult[]> {
  const events = await parseInSlices(values, posting);
  for (const [at, event] of events.entries()) {
    if (isRejection(event)) posting.rejected?.(event, { number: at + 1, value: values[at] });
  }
  const accepted = events.filter((event): event is ChangeEvent => !isRejection(event));
  const posts: ReturnType<Posting['post']>[] = [];
  for (let at = 0; at < accepted.length; at += EVENTS_PER_POST) {
    posts.push(posting.post(accepted.slice(at, at + EVENTS_PER_POST)));
  }
  const committed = (await Promise.all(posts)).flat();
  let next = 0;
  return events.map((event) => (isRejection(event) ? event : committed[next++]!));
}

async function parseInSlices(values: readonly unknown[], posting: Posting): Promise<(ChangeEvent | Rejection)[]> {
  const events: (ChangeEvent | Rejection)[] = [];
  for (const value of values) {
    events.push(parsePostedEvent(value, posting, Date.now()));
    if (events.length % EVENTS_PER_SLICE === 0) await setImmediate();
  }
  return events;
}

function wrongBody(code: string, message: string, field = 'body'): TidemarkError {
  return new TidemarkError('invalid', message, { code, field });
}
