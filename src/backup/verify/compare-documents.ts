import { buffer } from 'node:stream/consumers';
import type { Stamp } from '../../core/stamp.ts';
import type { DocumentPublisher } from '../../publish/document-publisher.ts';
import type { PublishedDocument } from '../../publish/published-document.ts';
import type { DifferenceList } from './differences.ts';

/** Attempts to read a document and to render it at the same state of the store, while changes come in. */
const MOST_ATTEMPTS = 10;
const SHOWN = 200;

export interface Publishers {
  /** Publishes documents as clients get them: from the disk, or made from an older version. */
  readonly served: DocumentPublisher;
  /** Renders each document from the store. */
  readonly fresh: DocumentPublisher;
}

interface ComparedDocument {
  /** The served text. */
  readonly text: string;
  readonly newest: Stamp;
}

export interface ComparisonParts extends Publishers {
  readonly differences: DifferenceList;
  /** The stamp of the last change of the set. */
  lastChange(): Promise<Stamp>;
}

type Find = (publisher: DocumentPublisher) => Promise<PublishedDocument>;

/**
 * Compares served documents with the same documents rendered from the store, byte by byte. At most two of them are in
 * memory. A document that changes faster than it can be read is counted, but not compared.
 */
export class DocumentComparison {
  readonly #parts: ComparisonParts;
  documents = 0;
  /** Number of documents that changed faster than they could be compared. */
  unsettled = 0;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
  }

  async compare(name: string, find: Find): Promise<ComparedDocument> {
    const { served, fresh, differences, lastChange } = this.#parts;
    this.documents += 1;
    for (let attempt = 1; ; attempt++) {
      const last = await lastChange();
      const kept = await find(served);
      const text = await textOf(kept);
      const right = await find(fresh);
      const expected = await textOf(right);
      const document = { text, newest: kept.newest };
      if (text === expected) return document;
      if (kept.newest === right.newest && last === (await lastChange())) {
        differences.add({ kind: 'document', document: name, message: differenceOf(text, expected) });
        return document;
      }
      if (attempt < MOST_ATTEMPTS) continue;
      this.unsettled += 1;
      return document;
    }
  }
}

/** Decodes bytes as single characters: so bytes that are not UTF-8 count as different, too. */
async function textOf(document: PublishedDocument): Promise<string> {
  const body = await document.open('identity');
  return (Buffer.isBuffer(body) ? body : await buffer(body)).toString('latin1');
}

function differenceOf(text: string, expected: string): string {
  const lines = text.split('\n');
  const right = expected.split('\n');
  const at = lines.findIndex((line, number) => line !== right[number]);
  const number = at === -1 ? lines.length : at;
  return `line ${number + 1} is ${quoted(lines[number])}, and by the store ${quoted(right[number])}`;
}

function quoted(line: string | undefined): string {
  return line === undefined ? 'missing' : JSON.stringify(line.slice(0, SHOWN));
}
