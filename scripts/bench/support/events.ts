import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export type KeyOrder = 'random' | 'ascending';

const EVENTS_PER_WRITE = 5_000;

/** A typical event of some 355 bytes: location, length, sha-256, mime, lastmod, and one link. */
export function eventLine(number: number, { revision = 0 }: { readonly revision?: number } = {}): string {
  const name = String(number).padStart(8, '0');
  const digest = createHash('sha256').update(`${name}.${revision}`).digest('hex');
  return JSON.stringify({
    location: { value: pathOf(number), type: 'rel_path' },
    change: revision === 0 ? 'created' : 'updated',
    length: 10_000 + (number % 90_000),
    hash: `sha-256:${digest}`,
    mime: 'application/xml',
    lastmod: new Date(1_760_000_000_000 + (number + revision) * 1000).toISOString(),
    ln: [{ rel: 'describes', href: { value: `https://objects.example.org/${name}`, type: 'url' }, mime: 'text/html' }],
  });
}

export function pathOf(number: number): string {
  const name = String(number).padStart(8, '0');
  return `records/${name.slice(0, 5)}/${name}.xml`;
}

/** Writes events of so many resources as NDJSON. */
export async function writeEvents(
  file: string,
  options: { readonly count: number; readonly order: KeyOrder; readonly first?: number; readonly revision?: number },
): Promise<void> {
  const { count, order, first = 0, revision = 0 } = options;
  const numbers = numbersOf(count, order);
  const output = createWriteStream(file);
  for (let at = 0; at < count; at += EVENTS_PER_WRITE) {
    let text = '';
    for (const number of numbers.subarray(at, at + EVENTS_PER_WRITE))
      text += `${eventLine(first + number, { revision })}\n`;
    if (!output.write(text)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'close');
}

export function numbersOf(count: number, order: KeyOrder): Uint32Array {
  return order === 'ascending' ? Uint32Array.from({ length: count }, (_, at) => at) : shuffled(count);
}

/** The numbers below `count` in an order that looks random, and is the same every time. */
export function shuffled(count: number): Uint32Array {
  const numbers = Uint32Array.from({ length: count }, (_, at) => at);
  let seed = 12_345;
  for (let at = count - 1; at > 0; at--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const other = Math.floor((seed / 2 ** 32) * (at + 1));
    const number = numbers[at]!;
    numbers[at] = numbers[other]!;
    numbers[other] = number;
  }
  return numbers;
}
