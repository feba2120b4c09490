import { hash } from 'node:crypto';
import { Spool } from './spool.ts';

const PARTITIONS = 64;
/** Bytes of an entry: 16 of the id's digest, then two numbers. */
const ENTRY = 32;
const WORDS = ENTRY / 4;
const ENTRIES_IN_MEMORY = 2048;
/** So many are told with their lines; all are counted. */
const TOLD = 100_000;

/** Where a record of a run was put: which of the two files, and as which of its records, from 0. */
export interface Place {
  readonly file: 'records' | 'deleted';
  readonly ordinal: number;
  /** The line of the input, from 1; undefined where it has none. */
  readonly line: number | undefined;
}

/** What comes again later, and so is left out. */
export interface Superseded {
  readonly count: number;
  /** Whether the record is left out. */
  has(file: Place['file'], ordinal: number): boolean;
  countOf(file: Place['file']): number;
  /** The line of one that is left out, and of the one that stays, while these are few enough to be told. */
  linesOf(file: Place['file'], ordinal: number): { readonly line: number; readonly kept: number } | undefined;
}

/**
 * Finds ids that come twice in one run: the last one counts. Memory does not grow with their number as a table of ids would: 32 bytes of each
 * go into one of 64 parts by the id's digest, which wait on disk; at the end each part is looked through by itself (a hundred million records
 * make parts of 50 MB). Besides, one bit for each record.
 */
export class IdLedger {
  readonly #folder: string;
  readonly #parts: Part[] = Array.from({ length: PARTITIONS }, () => new Part());
  readonly #counts = { records: 0, deleted: 0 };
  #full: Part[] = [];

  /** @param folder for what does not fit into memory; is there already */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(id: string, { file, ordinal, line = 0 }: Place): void {
    const digest = hash('sha256', id, 'buffer');
    this.#counts[file] = Math.max(this.#counts[file], ordinal + 1);
    const part = this.#parts[digest[16]! % PARTITIONS]!;
    if (part.add(digest, ordinal * 2 + (file === 'deleted' ? 1 : 0), line)) this.#full.push(part);
  }

  /** To be called now and then: moves what has become much to disk. */
  async settle(): Promise<void> {
    const full = this.#full;
    this.#full = [];
    for (const part of full) await part.spill(this.#folder);
  }

  async superseded(): Promise<Superseded> {
    const found = new SupersededRecords(this.#counts);
    for (const part of this.#parts) findIn(await part.entries(), found);
    return found;
  }

  async close(): Promise<void> {
    for (const part of this.#parts) await part.close();
  }
}

class Part {
  /** Full buffers, and the one that is being filled. */
  #buffers: Buffer[] = [];
  #current: Buffer | undefined;
  #count = 0;
  #spool: Spool | undefined;

  /** Returns whether a buffer became full. */
  add(digest: Buffer, place: number, line: number): boolean {
    this.#current ??= Buffer.allocUnsafeSlow(ENTRIES_IN_MEMORY * ENTRY);
    const at = this.#count * ENTRY;
    digest.copy(this.#current, at, 0, 16);
    this.#current.writeDoubleLE(place, at + 16);
    this.#current.writeDoubleLE(line, at + 24);
    this.#count += 1;
    if (this.#count < ENTRIES_IN_MEMORY) return false;
    this.#buffers.push(this.#current);
    this.#current = undefined;
    this.#count = 0;
    return true;
  }

  async spill(folder: string): Promise<void> {
    if (this.#buffers.length === 0) return;
    this.#spool ??= await Spool.create(folder);
    for (const buffer of this.#buffers) this.#spool.add(buffer);
    this.#buffers = [];
    await this.#spool.flush();
  }

  /** In the order in which they were added. */
  async entries(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    if (this.#spool !== undefined) for await (const chunk of this.#spool.read()) chunks.push(chunk);
    chunks.push(...this.#buffers);
    if (this.#current !== undefined) chunks.push(this.#current.subarray(0, this.#count * ENTRY));
    return Buffer.concat(chunks);
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

/** Goes through a part from its end: whatever was met already comes again later. */
function findIn(entries: Buffer, found: SupersededRecords): void {
  const count = entries.length / ENTRY;
  if (count < 2) return;
  // A copy of its own: numbers can be read from aligned memory only.
  const memory = entries.buffer.slice(entries.byteOffset, entries.byteOffset + entries.length);
  const words = new Uint32Array(memory);
  const numbers = new Float64Array(memory);
  const mask = 2 ** Math.ceil(Math.log2(count * 2)) - 1;
  const slots = new Int32Array(mask + 1).fill(-1);
  for (let entry = count - 1; entry >= 0; entry--) {
    let slot = words[entry * WORDS]! & mask;
    while (slots[slot] !== -1 && !sameDigest(words, slots[slot]!, entry)) slot = (slot + 1) & mask;
    if (slots[slot] === -1) slots[slot] = entry;
    else found.add(numbers[entry * 4 + 2]!, numbers[entry * 4 + 3]!, numbers[slots[slot]! * 4 + 3]!);
  }
}

function sameDigest(words: Uint32Array, one: number, other: number): boolean {
  for (let word = 0; word < 4; word++) if (words[one * WORDS + word] !== words[other * WORDS + word]) return false;
  return true;
}

class SupersededRecords implements Superseded {
  readonly #bits: Readonly<Record<Place['file'], Uint8Array>>;
  readonly #found = { records: 0, deleted: 0 };
  readonly #lines = new Map<number, { line: number; kept: number }>();

  constructor({ records, deleted }: Readonly<Record<Place['file'], number>>) {
    this.#bits = { records: new Uint8Array((records >> 3) + 1), deleted: new Uint8Array((deleted >> 3) + 1) };
  }

  get count(): number {
    return this.#found.records + this.#found.deleted;
  }

  countOf(file: Place['file']): number {
    return this.#found[file];
  }

  add(place: number, line: number, kept: number): void {
    const file = place % 2 === 1 ? 'deleted' : 'records';
    const ordinal = Math.floor(place / 2);
    this.#bits[file][ordinal >> 3]! |= 1 << (ordinal & 7);
    this.#found[file] += 1;
    if (line > 0 && this.#lines.size < TOLD) this.#lines.set(place, { line, kept });
  }

  has(file: Place['file'], ordinal: number): boolean {
    return (this.#bits[file][ordinal >> 3]! & (1 << (ordinal & 7))) !== 0;
  }

  linesOf(file: Place['file'], ordinal: number): { line: number; kept: number } | undefined {
    return this.#lines.get(ordinal * 2 + (file === 'deleted' ? 1 : 0));
  }
}
