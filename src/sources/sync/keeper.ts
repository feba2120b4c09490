import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { RootProblem } from '../content-root.ts';
import type { ScanProgress, ScanSummary } from './scan-summary.ts';

/** What a keeper tells while it works. */
export interface KeeperEvents {
  /** Of a full scan; of the scan of single changes nothing is told before it is done. */
  onProgress?(progress: ScanProgress): void;
  onScanned?(summary: ScanSummary, extent: 'full' | 'changes'): void;
  /** A folder that cannot be watched. What could not be listed or read is in the summary. */
  onProblem?(problem: RootProblem): void;
  /** What the set is kept in step with, or the store, does not answer, which is told once; the keeper goes on trying. */
  onTrouble?(error: TidemarkError): void;
  /** After trouble a full scan was complete. */
  onRecovered?(): void;
  /** Nothing more will be told. */
  onStopped?(): void;
}

/** Keeps a set in step with something, until it is stopped. */
export abstract class Keeper {
  /** Resolves when a full scan was complete for the first time; with undefined when the keeper was stopped before. */
  readonly firstScan: Promise<ScanSummary | undefined>;
  protected readonly events: KeeperEvents;
  readonly #stopping = new AbortController();
  readonly #firstScan = Promise.withResolvers<ScanSummary | undefined>();
  #running: Promise<void> | undefined;
  #trouble: TidemarkError | undefined;

  constructor(events: KeeperEvents = {}) {
    this.events = events;
    this.firstScan = this.#firstScan.promise;
  }

  /** Begins, and returns at once. */
  start(): void {
    this.#running ??= this.run();
  }

  /** Resolves when what was being posted is committed, and nothing is watched any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#firstScan.resolve(undefined);
    this.events.onStopped?.();
  }

  /** Works until `stopped`, and tries again whatever fails. */
  protected abstract run(): Promise<void>;

  protected get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The set is what it is kept in step with. */
  protected noteScanned(summary: ScanSummary): void {
    this.#firstScan.resolve(summary);
    if (this.#trouble !== undefined) this.events.onRecovered?.();
    this.#trouble = undefined;
  }

  /** Tells what went wrong, unless that is known. */
  protected noteTrouble(error: unknown): void {
    const trouble = troubleOf(error);
    if (trouble.message !== this.#trouble?.message) this.events.onTrouble?.(trouble);
    this.#trouble = trouble;
  }
}

function troubleOf(error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TidemarkError('unavailable', `keeping the set in step failed: ${message}`, {}, error);
}
