import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { HashAlgorithm } from '../../../core/hash.ts';
import { type ResourceKey, uriLengthFault } from '../../../core/key.ts';
import type { EncodedState } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import { batchesOf } from '../../../lib/calls/batches.ts';
import { type ComparedArtifact, digestRecords } from '../../../records/digests/digest-records.ts';
import { artifactOf, type DigestRow, placeIn } from '../../../records/digests/digest-row.ts';
import { RecordSort, type RecordSortParts } from '../../../records/digests/record-sort.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { SetStatistics } from '../../../stores/set-statistics.ts';
import { KeyCursor, KeyMerge } from '../../sync/key-cursor.ts';

/** Input of a comparison. Plain values, so that a thread can receive them. */
export interface Comparison {
  readonly set: SetId;
  readonly urlPrefix: string;
  readonly publishHashes: readonly HashAlgorithm[];
  readonly artifact: ComparedArtifact;
  /** Whether an artifact without records may delete all resources. */
  readonly acceptsEmpty: boolean;
}

export interface ComparisonParts extends Pick<RecordSortParts, 'folder' | 'startDigester'> {
  readonly index: Pick<ResourceStates, 'states'> & Pick<SetStatistics, 'summary'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'head' | 'name'>;
}

/** A record whose state in the store differs from the artifact. */
export interface RecordDifference {
  readonly key: ResourceKey;
  /** The state in the artifact; undefined when the artifact has no such record. */
  readonly state: EncodedState | undefined;
  /** The state in the store; undefined when the store has no such resource. */
  readonly known: EncodedState | undefined;
}

export interface RecordProblem {
  /** The key that it would have. */
  readonly key: ResourceKey;
  readonly problem: string;
}

/** Progress and results of a comparison since the last step. */
export interface ComparisonStep {
  /** Number of records read, and compared, so far. All are read before the first is compared. */
  readonly read: number;
  readonly compared: number;
  /** Bytes of the artifact that were read so far, and its length. */
  readonly bytes: number;
  readonly ofBytes: number;
  /** Number of records so far whose state is the same. */
  readonly unchanged: number;
  /**
   * Number of records so far that a later record with the same id replaces, and the keys of the first hundred of them,
   * as far as they were found since the last step.
   */
  readonly duplicates: number;
  readonly duplicateKeys: readonly ResourceKey[];
  /** Records found since the last step that cannot be resources. */
  readonly problems: readonly RecordProblem[];
  readonly differences: readonly RecordDifference[];
}

/** Most differences of one step, and milliseconds between two steps when there are fewer. */
const DIFFERENCES = 1_000;
const STEP_MILLISECONDS = 100;
const NAMED_DUPLICATES = 100;
/** Number of records that are merged at a time. */
const BATCH = 250;

/**
 * Compares the state of a set with an artifact by digests, and yields the differences. The artifact is read to its end
 * first, so a damaged one yields no differences. Only one batch of records and one of states are in memory.
 * @throws TidemarkError `unavailable` when the artifact cannot be read, or has no records where there were some
 */
export async function* compareRecords(comparison: Comparison, parts: ComparisonParts): AsyncGenerator<ComparisonStep> {
  const run = new ComparisonRun(comparison, parts);
  try {
    yield* run.digest();
    await run.requireRecords();
    yield* run.merge();
  } finally {
    await run.close();
  }
}

class ComparisonRun {
  readonly #comparison: Comparison;
  readonly #parts: ComparisonParts;
  readonly #sort: RecordSort;
  /** By key of an artifact that states point to: whether it exists. */
  readonly #existing = new Map<string, boolean>();
  /**
   * The text (see `placeIn`) by which a state points to an existing artifact. Kept from the last such state, since most
   * states point to the same artifact.
   */
  #place: string;
  #differences: RecordDifference[] = [];
  #duplicateKeys: ResourceKey[] = [];
  #problems: RecordProblem[] = [];
  #bytes = { bytes: 0, ofBytes: 0 };
  #withoutId = 0;
  #compared = 0;
  #unchanged = 0;
  #duplicates = 0;
  #lastStep = performance.now();

  constructor(comparison: Comparison, parts: ComparisonParts) {
    this.#comparison = comparison;
    this.#parts = parts;
    this.#sort = new RecordSort({ ...parts, publishHashes: comparison.publishHashes });
    const { key } = comparison.artifact;
    this.#existing.set(key, true);
    this.#place = placeIn(key);
  }

  close(): Promise<void> {
    return this.#sort.close();
  }

  async *digest(): AsyncGenerator<ComparisonStep> {
    const { artifact } = this.#comparison;
    const { artifacts } = this.#parts;
    for await (const { bytes, ofBytes, withoutId } of digestRecords({ artifacts, artifact, sort: this.#sort })) {
      this.#bytes = { bytes, ofBytes };
      for (; this.#withoutId < withoutId; this.#withoutId++)
        this.#problems.push({ key: '/', problem: 'a record has an empty id' });
      if (this.#isDue()) yield this.#step();
    }
  }

  /** An artifact without records more likely comes from a run that failed than from a provider that lost everything. */
  async requireRecords(): Promise<void> {
    const { set, artifact, acceptsEmpty } = this.#comparison;
    if (this.#sort.size > 0 || acceptsEmpty) return;
    const { resources } = await this.#parts.index.summary(set);
    if (resources === 0) return;
    throw new TidemarkError(
      'unavailable',
      `the artifact ${artifact.key} has no records, and there are ${resources} resources: nothing is deleted; if that is meant, run "tidemark scan" with --accept-empty`,
      { artifact: artifact.key },
    );
  }

  /** Compares records and states side by side, ascending by key. */
  async *merge(): AsyncGenerator<ComparisonStep> {
    const records = new KeyCursor(
      batchesOf(
        this.#sort.sorted(({ key }) => this.#duplicate(key)),
        BATCH,
      ),
      keyOf,
    );
    const states = new KeyCursor(this.#parts.index.states(this.#comparison.set), keyOf);
    const merge = new KeyMerge(records, states);
    try {
      for (;;) {
        if (merge.needsBatch) {
          if (states.needsBatch && this.#isDue()) yield this.#step();
          await merge.nextBatches();
        }
        const { key } = merge;
        if (key === undefined) break;
        const record = records.takeAt(key);
        const known = states.takeAt(key)?.state;
        if (record === undefined) this.#differ(key, undefined, known);
        // Awaiting each record would cost more than all the rest.
        else if (known === undefined) this.#addRecord(record, undefined);
        else if (record.isWrittenIn(known, this.#place) || (await this.#isSame(record, known))) this.#same();
        else this.#addRecord(record, known);
        if (this.#differences.length >= DIFFERENCES) yield this.#step();
      }
    } finally {
      await merge.close();
    }
    yield this.#step();
  }

  async #isSame(record: DigestRow, known: EncodedState): Promise<boolean> {
    return (await this.#isReadable(known)) && record.isDescribedBy(known);
  }

  /**
   * A place is usable only while its artifact exists. When the artifact was deleted, the record gets its place in the
   * newest one.
   */
  async #isReadable(known: EncodedState): Promise<boolean> {
    const artifact = artifactOf(known);
    if (artifact === undefined) return false;
    let exists = this.#existing.get(artifact);
    if (exists === undefined) {
      exists = (await this.#parts.artifacts.head(artifact)) !== undefined;
      this.#existing.set(artifact, exists);
    }
    if (exists) this.#place = placeIn(artifact);
    return exists;
  }

  #same(): void {
    this.#compared += 1;
    this.#unchanged += 1;
  }

  #addRecord(record: DigestRow, known: EncodedState | undefined): void {
    const { key } = record;
    this.#compared += 1;
    const { artifact, urlPrefix } = this.#comparison;
    const fault = uriLengthFault(urlPrefix, key);
    if (fault === undefined) this.#differ(key, record.stateAt(artifact.key, artifact.start), known);
    else this.#problems.push({ key, problem: `its URI would have ${fault.text}` });
  }

  #differ(key: ResourceKey, state: EncodedState | undefined, known: EncodedState | undefined): void {
    this.#differences.push({ key: copied(key), state: state && copied(state), known: known && copied(known) });
  }

  #duplicate(key: ResourceKey): void {
    this.#duplicates += 1;
    if (this.#duplicates <= NAMED_DUPLICATES) this.#duplicateKeys.push(key);
  }

  #isDue(): boolean {
    return this.#differences.length >= DIFFERENCES || performance.now() - this.#lastStep >= STEP_MILLISECONDS;
  }

  #step(): ComparisonStep {
    const step = {
      read: this.#sort.size,
      compared: this.#compared,
      ...this.#bytes,
      unchanged: this.#unchanged,
      duplicates: this.#duplicates,
      duplicateKeys: this.#duplicateKeys,
      problems: this.#problems,
      differences: this.#differences,
    };
    this.#differences = [];
    this.#duplicateKeys = [];
    this.#problems = [];
    this.#lastStep = performance.now();
    return step;
  }
}

function keyOf({ key }: { readonly key: ResourceKey }): ResourceKey {
  return key;
}

/**
 * Copies a text that was cut out of a longer one. The cut text would keep the longer one in memory: tens of kilobytes
 * for each difference.
 */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
