import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** As it is: fetch would add Cache-Control to a conditional request, and unpack bodies. */
export async function get(uri: string, headers: RequestOptions['headers'] = {}): Promise<HttpAnswer> {
  return toAnswer(await send(uri, { headers }));
}

export async function head(uri: string): Promise<HttpAnswer> {
  return toAnswer(await send(uri, { method: 'HEAD' }));
}

export interface PostedTotals {
  readonly complete: boolean;
  readonly applied: number;
  readonly unchanged: number;
  readonly rejected: number;
}

/**
 * Posts change events to a set as NDJSON; `home` is the set's URI, with a slash at its end. Throws when one is
 * rejected.
 */
export async function post(home: string, events: Iterable<object>): Promise<PostedTotals> {
  const { origin, pathname } = new URL(home);
  const uri = `${origin}/api${pathname}changes`;
  const answer = await toAnswer(
    await send(uri, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } }, lines(events)),
  );
  const totals = JSON.parse(answer.text);
  if (answer.status !== 200 || totals.rejected > 0) throw new Error(`posting failed: ${answer.text.slice(0, 1000)}`);
  return totals;
}

/** Lines in pieces of some hundred kilobytes. */
function* lines(events: Iterable<object>): Iterable<string> {
  let piece = '';
  for (const event of events) {
    piece += `${JSON.stringify(event)}\n`;
    if (piece.length < 200_000) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function send(uri: string, options: RequestOptions, body: Iterable<string> = []): Promise<IncomingMessage> {
  const { hostname, port } = new URL(uri);
  // The path as it is written: a parsed URL would have another one where it has dots or backslashes.
  const path = uri.replace(/^http:\/\/[^/]*/, '');
  const sent = request({ hostname, port, path, ...options });
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  await Promise.all([answered, pipeline(Readable.from(body), sent)]);
  return answered;
}

async function toAnswer(message: IncomingMessage): Promise<HttpAnswer> {
  const body = await buffer(message);
  return { status: message.statusCode!, headers: message.headers, body, text: body.toString() };
}
