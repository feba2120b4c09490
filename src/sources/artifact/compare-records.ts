import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { type ComparedArtifact, digestRecords } from '../../artifacts/records/digest-records.ts';
import { artifactOf, type DigestRow, placeIn } from '../../artifacts/records/digest-row.ts';
import { RecordSort, type RecordSortParts } from '../../artifacts/records/record-sort.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { type ResourceKey, uriLengthFault } from '../../core/key.ts';
import type { EncodedState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { KeyCursor, KeyMerge } from '../sync/key-cursor.ts';

/** What is to be compared; plain values, so that it can be handed to a thread. */
export interface Comparison {
  readonly set: SetId;
  readonly urlPrefix: string;
  readonly publishHashes: readonly HashAlgorithm[];
  readonly artifact: ComparedArtifact;
  /** Whether an artifact without records may take away all that there is. */
  readonly acceptsEmpty: boolean;
}

export interface ComparisonParts extends Pick<RecordSortParts, 'folder' | 'startDigester'> {
  readonly index: Pick<ResourceStates, 'states'> & Pick<SetStatistics, 'summary'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'head' | 'name'>;
}

/** A record whose state in the store differs from the artifact. */
export interface RecordDifference {
  readonly key: ResourceKey;
  /** As the artifact has it; undefined when it has no such record. */
  readonly state: EncodedState | undefined;
  /** As the store has it; undefined when there is no such resource. */
  readonly known: EncodedState | undefined;
}

export interface RecordProblem {
  /** What it would be called. */
  readonly key: ResourceKey;
  readonly problem: string;
}

/** A part of a comparison, as it goes on. */
export interface ComparisonStep {
  /** Records that were read, of all in the end; and then compared. */
  readonly read: number;
  readonly compared: number;
  /** Bytes of the artifact that were read, and all. */
  readonly bytes: number;
  readonly ofBytes: number;
  /** Records whose state is the same, so far. */
  readonly unchanged: number;
  /**
   * Records that another one of the same id came after in the file, so far; and the keys of the first hundred, since
   * the last step.
   */
  readonly duplicates: number;
  readonly duplicateKeys: readonly ResourceKey[];
  /** Records that cannot be resources, since the last step. */
  readonly problems: readonly RecordProblem[];
  readonly differences: readonly RecordDifference[];
}

/** Differences of one step, and milliseconds between two steps without any. */
const DIFFERENCES = 1_000;
const STEP_MILLISECONDS = 100;
const NAMED_DUPLICATES = 100;
/** Records that are merged at a time. */
const BATCH = 250;

/**
 * Compares the state of a set with an artifact, by digests, and yields what differs. The artifact is read first, to its
 * end: of one that is torn nothing is yielded. Only a batch of each is in memory.
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
  /** By key of an artifact that states point at: whether it is there. */
  readonly #isThere = new Map<string, boolean>();
  /**
   * What a state holds that points at one that is there: the one that was met last, since most states point at the
   * same.
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
    this.#isThere.set(key, true);
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

  /** A run that found nothing is more likely one that failed than a provider that lost everything. */
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
    const records = new KeyCursor(batchesOf(this.#sort.sorted((key) => this.#duplicate(key))), keyOf);
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
        // Waiting for each record would cost more than all the rest.
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
   * A place is of use only while its artifact is there: when it was deleted, the record gets its place in the newest
   * one.
   */
  async #isReadable(known: EncodedState): Promise<boolean> {
    const artifact = artifactOf(known);
    if (artifact === undefined) return false;
    let isThere = this.#isThere.get(artifact);
    if (isThere === undefined) {
      isThere = (await this.#parts.artifacts.head(artifact)) !== undefined;
      this.#isThere.set(artifact, isThere);
    }
    if (isThere) this.#place = placeIn(artifact);
    return isThere;
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

async function* batchesOf(rows: Iterable<DigestRow>): AsyncGenerator<readonly DigestRow[]> {
  let batch: DigestRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** What was cut out of a longer text keeps all of that in memory: tens of kilobytes for each difference. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
