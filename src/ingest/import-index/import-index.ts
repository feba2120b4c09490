import type { IndexLocation } from '../../config/import-location.ts';
import type { ChangeEvent } from '../../core/change.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { type PostedHistory, postHistory } from './post-history.ts';
import { type ReadTotals, readSource } from './read-source.ts';
import { type RejectedDocuments, RejectionList } from './rejected-documents.ts';
import { Scratch } from './scratch.ts';
import { type SettledStates, settleStates } from './settle-states.ts';
import { SourceIndex } from './source-index.ts';
import type { TargetSet, TargetSets } from './target-sets.ts';

interface ImportInput {
  readonly location: IndexLocation;
  readonly targets: TargetSets;
  /** Accepts a document without its wrong fields, if these are optional. */
  readonly lenient?: boolean | undefined;
  /** The target of the import; undefined to read only. */
  readonly store: ImportStore | undefined;
  /** The folder of the scratch database. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  onProgress?(progress: ImportProgress): void;
}

interface ImportStore {
  readonly sets: SetRegistry;
  readonly index: ChangeLog & ResourceStates & SetStatistics;
  post(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;
}

interface ImportProgress {
  readonly step: 'reading' | 'posting' | 'comparing';
  readonly done: number;
  readonly total: number;
}

export interface ImportSummary extends ReadTotals {
  readonly rejected: RejectedDocuments;
  /** Wrong fields of documents that were accepted without them. */
  readonly leftOutFields: RejectedDocuments;
  readonly sets: readonly ImportedSet[];
}

export interface ImportedSet {
  /** Its id, as in URLs. */
  readonly set: string;
  readonly name: string;
  /** Whether this import made it, or would. */
  readonly isNew: boolean;
  /** Accepted documents. */
  readonly resources: number;
  readonly changes: number;
  /** Whether events with its name as `resource_set` are accepted; undefined when it was only read. */
  readonly acceptsName?: boolean;
  /** Undefined when it was only read. */
  readonly history?: PostedHistory;
  readonly settled?: SettledStates;
}

/**
 * Imports an index that another program wrote by the OpenMinTeD protocol: its change documents become the history, its
 * resource documents the state; see docs/posting-changes.md. Importing it again posts only what is new. Memory does not
 * grow with the index.
 * @throws TidemarkError as the source, the targets and the store do; the signal's reason when it is aborted. Posted
 *   changes stay, and the next import continues
 */
export async function importIndex(input: ImportInput): Promise<ImportSummary> {
  const scratch = new Scratch(input.folder);
  const source = new SourceIndex(input.location);
  try {
    return await new Import(input, scratch).run(source);
  } finally {
    scratch.close();
    await source.close();
  }
}

class Import {
  readonly #input: ImportInput;
  readonly #scratch: Scratch;

  constructor(input: ImportInput, scratch: Scratch) {
    this.#input = input;
    this.#scratch = scratch;
  }

  async run(source: SourceIndex): Promise<ImportSummary> {
    const { targets, lenient, store, signal, onProgress } = this.#input;
    const rejections = new RejectionList();
    const leftOutFields = new RejectionList();
    const totals = await readSource({
      source,
      targets,
      scratch: this.#scratch,
      rejections,
      leftOutFields: lenient ? leftOutFields : undefined,
      signal,
      onProgress: (done, total) => onProgress?.({ step: 'reading', done, total }),
    });
    targets.requireChosen();
    const taken = targets.all.filter(({ resources, changes }) => resources + changes > 0);
    const sets = store === undefined ? taken.map(toView) : await this.#takeOver(taken, store);
    return { ...totals, rejected: rejections.result(), leftOutFields: leftOutFields.result(), sets };
  }

  async #takeOver(taken: readonly TargetSet[], store: ImportStore): Promise<readonly ImportedSet[]> {
    const histories = this.#scratch.arrange();
    const total = histories.reduce((sum, { changes }) => sum + changes, 0);
    const sets = await this.#prepare(taken, new Map(histories.map(({ target, first }) => [target, first])));
    try {
      return await this.#fill(sets, { taken, store, total });
    } catch (error) {
      if (this.#input.signal?.aborted) await recordStopped(sets.values(), store);
      throw error;
    }
  }

  async #fill(
    sets: ReadonlyMap<number, ResourceSet>,
    { taken, store, total }: { taken: readonly TargetSet[]; store: ImportStore; total: number },
  ): Promise<readonly ImportedSet[]> {
    const { signal, onProgress } = this.#input;
    const posted = await postHistory({
      history: () => this.#scratch.history(),
      sets,
      post: store.post,
      signal,
      onProgress: (done) => onProgress?.({ step: 'posting', done, total }),
    });
    const compared = this.#comparing(taken);
    const views: ImportedSet[] = [];
    for (const target of taken) {
      const set = sets.get(target.number)!;
      const settled = await this.#complete(set, { target, store, onProgress: compared });
      const acceptsName = set.slug === target.name || set.aliases?.includes(target.name) === true;
      views.push({ ...toView(target), acceptsName, history: posted.get(target.number)!, settled });
    }
    return views;
  }

  /** Sets its state to that of the resource documents, and publishes its lists. */
  async #complete(set: ResourceSet, { target, store, onProgress }: Completing): Promise<SettledStates> {
    const { sets, index, post } = store;
    const documents = this.#scratch.resources(target.number);
    const settled = await settleStates({ set, index, documents, post, signal: this.#input.signal, onProgress });
    const { lastChange } = await index.summary(set.id);
    await sets.recordImport(set.slug, { ...set.imported!, through: lastChange });
    return settled;
  }

  #comparing(taken: readonly TargetSet[]): (more: number) => void {
    const total = taken.reduce((sum, { resources }) => sum + resources, 0);
    let done = 0;
    return (more) => {
      done += more;
      this.#input.onProgress?.({ step: 'comparing', done, total: Math.max(total, done) });
    };
  }

  /** Makes the missing sets. Their lists are not published until they are complete. */
  async #prepare(
    taken: readonly TargetSet[],
    firstOf: ReadonlyMap<number, Stamp>,
  ): Promise<ReadonlyMap<number, ResourceSet>> {
    const { sets, index } = this.#input.store!;
    const watermark = await index.watermark();
    const made = new Map<number, ResourceSet>();
    for (const { number, name, set, toAdd } of taken) {
      const imported = { index: this.#input.location.index, name };
      const epochStart = Math.max(watermark, (firstOf.get(number) ?? clockStamp()) - 1);
      const ready =
        toAdd === undefined ? await sets.recordImport(set.slug, imported) : await sets.add({ ...toAdd, epochStart });
      made.set(number, ready);
    }
    return made;
  }
}

interface Completing {
  readonly target: TargetSet;
  readonly store: ImportStore;
  /** @param compared number of resources since the last call */
  onProgress(compared: number): void;
}

function toView({ set, name, toAdd, resources, changes }: TargetSet): ImportedSet {
  return { set: set.slug, name, isNew: toAdd !== undefined, resources, changes };
}

/** Records the state of the sets, so that the next import can detect whether anything else changed them. */
async function recordStopped(stopped: Iterable<ResourceSet>, { sets, index }: ImportStore): Promise<void> {
  for (const { id, slug, imported } of stopped) {
    const { lastChange } = await index.summary(id);
    await sets.recordImport(slug, { ...imported!, through: lastChange, stopped: true });
  }
}
