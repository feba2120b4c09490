import type { Rejection } from '../updater/rejection.ts';

/** A document that was not taken over, or was taken over without a field, and why. */
export interface RejectedDocument extends Omit<Rejection, 'status'> {
  readonly index: string;
  readonly id: string;
}

export interface RejectedDocuments {
  readonly total: number;
  readonly byCode: Readonly<Record<string, number>>;
  /** The first thousand. */
  readonly first: readonly RejectedDocument[];
}

const LISTED = 1000;

/** Counts all problems of documents, and keeps the first ones. */
export class RejectionList {
  #total = 0;
  readonly #byCode: Record<string, number> = {};
  readonly #first: RejectedDocument[] = [];

  add({ index, id }: { index: string; id: string }, { code, message, field }: Omit<Rejection, 'status'>): void {
    this.#total += 1;
    this.#byCode[code] = (this.#byCode[code] ?? 0) + 1;
    if (this.#first.length < LISTED)
      this.#first.push({ index, id, code, message, ...(field !== undefined && { field }) });
  }

  result(): RejectedDocuments {
    return { total: this.#total, byCode: this.#byCode, first: this.#first };
  }
}
