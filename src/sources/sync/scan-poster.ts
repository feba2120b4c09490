import { type ChangeEvent, type ChangeKind, decide } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { encodeState, type Resource } from '../../core/resource.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { FileMemory, RememberedFile } from '../file-memory.ts';
import type { ScanCounter } from './scan-summary.ts';

/** What a scan found out about one key. */
export interface Finding {
  readonly key: ResourceKey;
  readonly event?: ChangeEvent;
  /** The state that the event meets, as the scan saw it. */
  readonly resource?: Resource | undefined;
  /** What to remember of the file; nothing when it is to be forgotten. */
  readonly remember?: RememberedFile;
}

export interface PosterParts {
  readonly updater: EventPoster;
  readonly memory: FileMemory;
  readonly counter: ScanCounter;
  /** Only counts what would be done. */
  readonly dryRun: boolean;
  readonly onChange: ((kind: ChangeKind, key: ResourceKey) => void) | undefined;
}

/** Posts what a scan found, batch after batch, while the scan goes on. A file is remembered only when its state is committed. */
export class ScanPoster {
  readonly #parts: PosterParts;
  #underWay: Promise<void> = Promise.resolve();

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  /** Resolves when the batch before is committed, so at most one is under way. Throws what went wrong with that one. */
  async post(findings: readonly Finding[]): Promise<void> {
    await this.#underWay;
    this.#underWay = this.#post(findings);
    // It is thrown by the next call, or by `finish`.
    this.#underWay.catch(() => {});
  }

  /** Resolves when everything is committed. */
  finish(): Promise<void> {
    return this.#underWay;
  }

  async #post(findings: readonly Finding[]): Promise<void> {
    const { updater, memory, dryRun } = this.#parts;
    const told = findings.filter(({ event }) => event !== undefined);
    if (dryRun) {
      for (const finding of told) this.#count(finding, wouldBe(finding));
      return;
    }
    const results = await updater.post(told.map(({ event }) => event!));
    for (const [at, result] of results.entries()) this.#count(told[at]!, kindOf(result));
    memory.update({
      remember: findings.flatMap(({ remember }) => remember ?? []),
      forget: findings.flatMap(({ key, remember }) => (remember === undefined ? key : [])),
    });
  }

  #count({ key, event }: Finding, kind: ChangeKind | undefined): void {
    if (kind !== undefined) {
      this.#parts.counter.changed(kind);
      this.#parts.onChange?.(kind, key);
    } else if (event?.state !== undefined) this.#parts.counter.unchanged();
  }
}

function wouldBe({ event, resource }: Finding): ChangeKind | undefined {
  return decide(resource && encodeState(resource.state), event?.state && encodeState(event.state));
}

function kindOf(result: CommitResult): ChangeKind | undefined {
  if (result.status === 'rejected') throw new TidemarkError('not-found', result.message);
  return result.status === 'applied' ? result.kind : undefined;
}
