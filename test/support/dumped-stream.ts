import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { AppliedUploads } from './applied-uploads.ts';
import { collect } from './builders.ts';
import { type Records, readDumpFiles, withDelta } from './dump-consumer.ts';
import { Catalogue } from './marc-catalogue.ts';

export const DUMPED = { organization: 'lane', stream: 'main' };
const catalogue = new Catalogue({ seed: 3, bytes: 600 });

/** A stream whose uploads are sets of records of a catalogue, and what it has. */
export class DumpedStream {
  readonly uploads: AppliedUploads;
  readonly #records: Map<string, Buffer>;

  constructor(app: App, folder: string, records: Records = new Map(), number = 0) {
    this.uploads = new AppliedUploads(app, { ...DUMPED, folder });
    this.uploads.number = number;
    this.#records = new Map(records);
  }

  /** What a client must have. */
  get records(): Records {
    return this.#records;
  }

  static async make(app: App): Promise<void> {
    await app.records.organizations.add(DUMPED.organization, { contacts: [] });
    await app.records.organizations.addStream(DUMPED.organization, DUMPED.stream);
  }

  idOf(number: number): string {
    return catalogue.idOf(number);
  }

  documentOf(number: number, version: number): Buffer {
    return catalogue.marc21({ number, version });
  }

  /** Records of these numbers in a version. */
  async put(numbers: readonly number[], version = 0, errata: readonly object[] = []): Promise<void> {
    const changes = new Map(numbers.map((number) => [catalogue.idOf(number), catalogue.marc21({ number, version })]));
    await this.uploads.apply(changes, { errata });
    for (const [id, document] of changes) this.#records.set(id, document);
  }

  async delete(numbers: readonly number[]): Promise<void> {
    await this.uploads.apply(new Map(numbers.map((number) => [catalogue.idOf(number), undefined])));
    for (const number of numbers) this.#records.delete(catalogue.idOf(number));
  }
}

export function numbersTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_, number) => number);
}

/**
 * Reads all files of all dumps that are listed, and requires that a client that begins with the first full dump has
 * these records in the end.
 */
export async function requireWholeDumps(app: Pick<App, 'records'>, expected: Records): Promise<void> {
  const dumps = await app.records.streamDumps.list(DUMPED);
  let records: Records | undefined;
  for (const dump of dumps) {
    const content = await readDumpFiles(dump, app.records.streamDumps);
    if (dump.kind === 'full') {
      if (records !== undefined) assert.deepEqual(sorted(content.records), sorted(records), `full dump ${dump.number}`);
      records = content.records;
    } else records = withDelta(records!, content);
  }
  assert.deepEqual(sorted(records!), sorted(expected));
}

/** Keys of all files of dumps that are stored, and of those that dumps name, ascending. */
export async function storedDumpFiles(app: Pick<App, 'artifacts' | 'records'>) {
  const stored = (await collect(app.artifacts.list('_stream-dumps/'))).map(({ key }) => key);
  const named = (await app.records.streamDumps.list(DUMPED)).flatMap(({ files }) =>
    files.map(({ artifact }) => artifact),
  );
  return { stored, named: named.toSorted() };
}

function sorted(records: Records): readonly string[] {
  return [...records].map(([id, document]) => `${id} ${document.toString('base64')}`).toSorted();
}
