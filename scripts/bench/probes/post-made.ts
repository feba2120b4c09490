import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { eventLine, type KeyOrder, numbersOf } from '../support/events.ts';

/**
 * Posts one event for each of `count` resources in requests of `chunk` events. The events of a request are made before
 * its clock starts. Prints `{seconds}` for each request.
 */
const { url, count, chunk, order, revision } = JSON.parse(process.argv[2]!) as {
  url: string;
  count: number;
  chunk: number;
  order: KeyOrder;
  revision: number;
};

const EVENTS_PER_WRITE = 1_000;
const numbers = numbersOf(count, order);
for (let start = 0; start < count; start += chunk) {
  const parts = partsOf(numbers.subarray(start, Math.min(start + chunk, count)));
  const begin = performance.now();
  const { applied } = await post(parts);
  const seconds = (performance.now() - begin) / 1000;
  const expected = Math.min(chunk, count - start);
  if (applied !== expected) throw new Error(`of ${expected} events ${applied} were applied`);
  console.log(JSON.stringify({ seconds }));
}

function partsOf(numbers: Uint32Array): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < numbers.length; at += EVENTS_PER_WRITE) {
    let text = '';
    for (const number of numbers.subarray(at, at + EVENTS_PER_WRITE)) text += `${eventLine(number, { revision })}\n`;
    parts.push(Buffer.from(text));
  }
  return parts;
}

async function post(parts: readonly Buffer[]): Promise<{ readonly applied: number }> {
  const sent = request(url, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' } });
  const answered = new Promise<{ applied: number }>((resolve, reject) => {
    sent.on('response', (response) => json(response).then((value) => resolve(value as { applied: number }), reject));
    sent.on('error', reject);
  });
  // A refusal that arrives while the body is sent is thrown below, not as an unhandled rejection.
  answered.catch(() => {});
  for (const part of parts) if (!sent.write(part)) await Promise.race([once(sent, 'drain'), answered]);
  sent.end();
  return answered;
}
