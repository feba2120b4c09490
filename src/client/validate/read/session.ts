import type { Document } from '../../read/document.ts';
import type { Fetcher } from '../../read/fetcher.ts';
import type { ReadLimits } from '../../read/limits.ts';
import type { Reader } from '../../read/source-reader.ts';
import { Checker } from '../checker.ts';
import { FindingLog, type Progress } from '../report.ts';
import { levelOf } from '../rules/rule-table.ts';
import { RULES } from '../rules/rules.ts';

export interface ValidateOptions {
  readonly fetcher: Fetcher;
  readonly limits: ReadLimits;
  /** Number of resources of each list that are requested and compared, or `all`. */
  readonly sample: number | 'all';
  /** Whether the URL is that of a single file, of which the rest of the source is unknown. */
  readonly isAlone?: boolean | undefined;
  /** The folder for packages of dumps while they are read. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Milliseconds since 1970; for tests with sources of another time. */
  readonly now?: number | undefined;
}

/** Thrown when a limit of the whole validation is reached: the report then contains what was read until then. */
export class LimitReached extends Error {}

/** The state that the parts of one validation share: its limits, the documents read, and the findings. */
export class Session implements Reader {
  readonly options: ValidateOptions;
  readonly log = new FindingLog();
  readonly checker = new Checker(this.log, RULES, levelOf);
  readonly documents = new Map<string, Document>();
  readonly incomplete: string[] = [];
  /** Of each server that did not answer: the first failure, and how many there were. */
  readonly #unanswered = new Map<string, { readonly first: string; count: number }>();
  /** Whether a limit of the whole validation was reached: nothing more is read then. */
  isOver = false;
  readonly startedAt: number;
  /** Aborted by the caller, or at the time limit. */
  readonly signal: AbortSignal;
  readonly counts = { documents: 0, entries: 0, resources: 0, packages: 0, bytes: 0 };
  #expected = 0;
  readonly #timeUp = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ValidateOptions) {
    const { limits, signal } = options;
    this.options = options;
    this.startedAt = options.now ?? Date.now();
    this.signal = AbortSignal.any([this.#timeUp.signal, ...(signal === undefined ? [] : [signal])]);
    // A timer takes at most 31 bits.
    this.#timer = setTimeout(
      () => this.#timeUp.abort(new LimitReached(`it took longer than ${limits.totalMs / 1000} seconds`)),
      Math.min(limits.totalMs, 2 ** 31 - 1),
    );
  }

  get fetcher(): Fetcher {
    return this.options.fetcher;
  }

  get limits(): ReadLimits {
    return this.options.limits;
  }

  /** @throws LimitReached */
  countDocument(): void {
    if (this.counts.documents >= this.limits.documents) {
      throw new LimitReached(`it has more than ${this.limits.documents.toLocaleString('en-US')} documents`);
    }
    this.counts.documents++;
  }

  /** Records that a server did not answer: this is no fault of the source, but not everything was read. */
  addUnanswered(uri: string, failure: string): void {
    // Of a single file, nothing else is expected to answer.
    if (this.options.isAlone) return;
    const { host } = new URL(uri);
    const before = this.#unanswered.get(host) ?? { first: `${uri} could not be read: ${failure}`, count: 0 };
    before.count++;
    this.#unanswered.set(host, before);
  }

  /** Why not everything was read. */
  allIncomplete(): readonly string[] {
    const unanswered = [...this.#unanswered].map(([host, { first, count }]) =>
      count === 1 ? first : `${first} (and ${(count - 1).toLocaleString('en-US')} more of ${host})`,
    );
    return [...this.incomplete, ...unanswered];
  }

  /** Announces that this number of documents, resources or packages will be read. */
  expect(count: number): void {
    this.#expected += count;
  }

  progress(uri: string): void {
    this.options.onProgress?.({ ...this.counts, expected: this.#expected, uri });
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
