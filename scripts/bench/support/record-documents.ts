import { readFileSync, writeFileSync } from 'node:fs';
import type { OriginalRecord } from '../../../src/artifacts/avro/avro-schemas.ts';

/** Records repeat these documents; so many are a megabyte, and no block of a file holds one twice. */
const DOCUMENTS = 1_000;
const DOCUMENT_BYTES = 1_000;
const WORDS = 5_000;
const BATCH = 1_000;

/**
 * Writes documents of one kilobyte, XML with words that come as often as words do, one in four with letters beyond
 * Latin 1: one JSON text a line, so that programs in any language take the same.
 */
export function writeDocuments(file: string): void {
  const random = alwaysTheSame();
  const words = Array.from({ length: WORDS }, () => wordOf(random));
  const documents = Array.from({ length: DOCUMENTS }, (_, number) => documentOf(words, random, number));
  writeFileSync(file, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
}

/** Records with those documents, one after the other, made on the way. */
export async function* recordsWith(file: string, count: number): AsyncGenerator<readonly OriginalRecord[]> {
  const documents = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
  for (let start = 0; start < count; start += BATCH) {
    yield Array.from({ length: Math.min(BATCH, count - start) }, (_, at) => ({
      id: `oai:example.org:${start + at}`,
      provider: 'cdl',
      document: documents[(start + at) % documents.length]!,
      mimetype: 'application/xml' as const,
    }));
  }
}

function documentOf(words: readonly string[], random: () => number, number: number): string {
  let text = `<record><metadata><dc:identifier>${number}</dc:identifier>`;
  while (text.length < DOCUMENT_BYTES) {
    const element = ['title', 'description', 'subject', 'rights'][Math.floor(random() * 4)];
    const content = Array.from({ length: 3 + random() * 12 }, () => words[Math.floor(random() ** 3 * WORDS)]);
    text += `<dc:${element}>${content.join(' ')}</dc:${element}>`;
  }
  const letters = number % 4 === 0 ? 'Ženský časopis — ' : '';
  const bytes = Buffer.from(`${text.slice(0, 60)}${letters}${text.slice(60)}`).subarray(0, DOCUMENT_BYTES - 9);
  return `${bytes.toString().replace(/\ufffd+$/, '')}</record>`;
}

function wordOf(random: () => number): string {
  const length = 2 + Math.floor(random() * 9);
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
}

/** Numbers from 0 to 1 that look random, and are the same every time. */
function alwaysTheSame(): () => number {
  let seed = 12_345;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
}
