import type { RecordProblem } from '../input-item.ts';
import { Spool } from './spool.ts';

export interface Erratum extends RecordProblem {
  readonly id?: string | undefined;
  readonly line?: number | undefined;
}

const MOST_FIRST = 10;

/** The records that failed, or were left out, as lines of JSON on disk; counted by kind. */
export class Errata {
  readonly #spool: Spool;
  readonly #byKind = new Map<string, number>();
  readonly #first: Erratum[] = [];
  #count = 0;

  private constructor(spool: Spool) {
    this.#spool = spool;
  }

  static async create(folder: string): Promise<Errata> {
    return new Errata(await Spool.create(folder));
  }

  /** Adds a record that failed. */
  fail(erratum: Erratum): void {
    this.#byKind.set(erratum.kind, (this.#byKind.get(erratum.kind) ?? 0) + 1);
    this.addLine(erratum);
  }

  /** Adds a line that does not count as a failure. */
  addLine({ id, line, kind, message }: Erratum): void {
    this.#count += 1;
    if (this.#first.length < MOST_FIRST) this.#first.push({ id, line, kind, message });
    this.#spool.add(Buffer.from(`${JSON.stringify({ id, line, kind, message })}\n`));
  }

  /** Number of records that failed. */
  get failed(): number {
    return this.#byKind.values().reduce((sum, count) => sum + count, 0);
  }

  /** Number of failures by kind, the most frequent first. */
  get byKind(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#byKind].sort(([, one], [, other]) => other - one));
  }

  /** The first errata, to show to users. */
  get first(): readonly Erratum[] {
    return this.#first;
  }

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  settle(): Promise<void> {
    return this.#spool.settle();
  }

  read(): AsyncIterable<Uint8Array> {
    return this.#spool.read();
  }

  close(): Promise<void> {
    return this.#spool.close();
  }
}
