import { HttpClient } from './http-client.ts';
import { median, secondsSince } from './spread.ts';

export interface ReadList {
  readonly records: number;
  readonly seconds: number;
  /** How many times as long the last pages take as the first ones: the medians of up to 20. */
  readonly slowdown: number;
}

const END_OF_RECORD = Buffer.from('</record>');
const PAGES_COMPARED = 20;
/** The token is at the end of a page. */
const TAIL_BYTES = 4_000;

/** Reads ListRecords to its end, without a parser, over one connection. @throws Error for an error of the protocol */
export async function listRecords(url: string, prefix: string): Promise<ReadList> {
  const { origin, pathname } = new URL(url);
  const client = new HttpClient(origin);
  const times: number[] = [];
  let records = 0;
  let query = `metadataPrefix=${prefix}`;
  const start = performance.now();
  for (;;) {
    const asked = performance.now();
    const { body } = await client.get(`${pathname}?verb=ListRecords&${query}`);
    times.push(performance.now() - asked);
    records += recordsIn(body);
    const tail = body.subarray(-TAIL_BYTES).toString();
    if (tail.includes('<error ')) throw new Error(tail);
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(tail)?.[1];
    if (token === undefined) break;
    query = `resumptionToken=${encodeURIComponent(token.replaceAll('&amp;', '&'))}`;
  }
  const seconds = secondsSince(start);
  client.close();
  // The last page may be a short one, and the first one opens the connection.
  const full = times.slice(1, -1);
  const slowdown = median(full.slice(-PAGES_COMPARED)) / median(full.slice(0, PAGES_COMPARED));
  return { records, seconds, slowdown };
}

function recordsIn(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(END_OF_RECORD); at >= 0; at = body.indexOf(END_OF_RECORD, at + 1)) count += 1;
  return count;
}
