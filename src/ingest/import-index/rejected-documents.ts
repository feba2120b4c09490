import type { Rejection } from '../rejection.ts';

/** A document that was rejected, or accepted without a field, and why. */
export interface RejectedDocument extends Omit<Rejection, 'status'> {
  readonly index: string;
  readonly id: string;
}

export interface RejectedDocuments {
  readonly total: number;
  readonly byCode: Readonly<Record<string, number>>;
  /** The first thousand of each code. */
  readonly first: readonly RejectedDocument[];
}

const LISTED_OF_A_CODE = 1000;

/**
 * Counts all problems of documents, and keeps the first ones of each code, so that many of one code do not hide those
 * of another.
 */
export class RejectionList {
  #total = 0;
  readonly #byCode: Record<string, number> = {};
  readonly #first: RejectedDocument[] = [];

  add({ index, id }: { index: string; id: string }, { code, message, field }: Omit<Rejection, 'status'>): void {
    this.#total += 1;
    const count = (this.#byCode[code] ?? 0) + 1;
    this.#byCode[code] = count;
    if (count <= LISTED_OF_A_CODE)
      this.#first.push({ index, id, code, message, ...(field !== undefined && { field }) });
  }

  result(): RejectedDocuments {
    return { total: this.#total, byCode: this.#byCode, first: this.#first };
  }
}
