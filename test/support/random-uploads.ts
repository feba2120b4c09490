import fc from 'fast-check';
import { marc } from './upload-packages.ts';

/** A list of ids to delete, or records, some of them marked as deleted. */
export type RandomFile =
  | { readonly ids: readonly number[] }
  | { readonly records: readonly { readonly id: number; readonly version: number; readonly deleted: boolean }[] };

const ID = fc.integer({ min: 1, max: 6 });
const FILE: fc.Arbitrary<RandomFile> = fc.oneof(
  fc.record({ ids: fc.array(ID, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    records: fc.array(fc.record({ id: ID, version: fc.integer({ min: 1, max: 3 }), deleted: fc.boolean() }), {
      minLength: 1,
      maxLength: 5,
    }),
  }),
);
/** Uploads, and in which order they are processed, before all of them are. */
export const RANDOM_UPLOADS = fc.record({
  uploads: fc.array(fc.array(FILE, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  order: fc.array(fc.nat(), { maxLength: 6 }),
  again: fc.array(fc.nat(), { maxLength: 3 }),
});

export function bytesOf(file: RandomFile): Buffer {
  return Buffer.concat(entriesOf(file).map(({ id, document }) => ('ids' in file ? Buffer.from(`${id}\n`) : document!)));
}

/** A record or a deletion, in the file that has it. */
interface Entry {
  readonly id: string;
  readonly isDeletion: boolean;
  /** Undefined in a list of ids. */
  readonly document: Buffer | undefined;
}

function entriesOf(file: RandomFile): readonly Entry[] {
  if ('ids' in file) return file.ids.map((id) => ({ id: `id${id}`, isDeletion: true, document: undefined }));
  return file.records.map(({ id, version, deleted }) => {
    const document = Buffer.from(marc(`id${id}`, `version ${version}`));
    if (deleted) document.write('d', 5);
    return { id: `id${id}`, isDeletion: deleted, document };
  });
}

interface Counts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  unknown: number;
  superseded: number;
  replaced: number;
  /** By the files in their order; absent when there are none. */
  replacedInFiles?: readonly number[];
}

interface ModelState {
  /** Undefined when it was deleted, or never existed. */
  readonly document: string | undefined;
  /** The number of the last upload that names it. */
  readonly number: number;
}

/** The simple model of a stream: uploads that are processed in any order, and what becomes of their ids. */
export class ModelStream {
  readonly #uploads: readonly (readonly RandomFile[])[];
  readonly #states = new Map<string, ModelState>();
  readonly #counts = new Map<number, Counts>();

  constructor(uploads: readonly (readonly RandomFile[])[]) {
    this.#uploads = uploads;
  }

  /** Its records, in the order of their ids. */
  get records(): Readonly<Record<string, string>> {
    const sorted = [...this.#states].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted.flatMap(([id, { document }]) => (document === undefined ? [] : [[id, document]])));
  }

  /** @param number from 1. The second time, it changes nothing, and returns the counts of the first */
  process(number: number): Counts {
    const known = this.#counts.get(number);
    if (known !== undefined) return known;
    const files = this.#inOrder(number);
    const last = new Map(files.flat().map((entry) => [entry.id, entry]));
    const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0, unknown: 0, superseded: 0 };
    for (const [id, entry] of last) {
      const document = entry.isDeletion ? undefined : entry.document!.toString();
      counts[this.#outcome(id, document, number)] += 1;
    }
    const replacedInFiles = files.map((entries) => entries.filter((entry) => last.get(entry.id) !== entry).length);
    const replaced = replacedInFiles.reduce((sum, one) => sum + one, 0);
    const all = { ...counts, replaced, ...(replaced > 0 && { replacedInFiles }) };
    this.#counts.set(number, all);
    return all;
  }

  /** How many records and deletions its files have. */
  entries(number: number): number {
    return this.#inOrder(number).flat().length;
  }

  /** The records and deletions of each file, in the order in which they count. */
  #inOrder(number: number): readonly (readonly Entry[])[] {
    const files = this.#uploads[number - 1]!;
    return [...files.filter((file) => 'ids' in file), ...files.filter((file) => 'records' in file)].map(entriesOf);
  }

  #outcome(
    id: string,
    document: string | undefined,
    number: number,
  ): keyof Omit<Counts, 'replaced' | 'replacedInFiles'> {
    const before = this.#states.get(id);
    if (before !== undefined && before.number > number) return 'superseded';
    this.#states.set(id, { document, number });
    if (document === undefined) return before?.document === undefined ? 'unknown' : 'deleted';
    if (before?.document === undefined) return 'created';
    return before.document === document ? 'unchanged' : 'updated';
  }
}
