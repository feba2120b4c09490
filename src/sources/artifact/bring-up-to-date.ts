import type { Activity } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { latestArtifact } from '../../artifacts/find-artifacts.ts';
import { type ChangeEvent, type ChangeKind, decide } from '../../core/change.ts';
import { entryWeight } from '../../core/entry-weight.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { formatRecordsSource, type RecordsSource } from '../../core/origin.ts';
import { decodeState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { ScanProgress } from '../sync/scan-summary.ts';
import type { RecordDifference } from './compare-records.ts';
import type { Comparer } from './comparer.ts';
import type { ComparedArtifact } from './note-records.ts';
import {
  comparedArtifact,
  hasHashesOf,
  nextGeneration,
  putStanding,
  type RecordsStanding,
  readStanding,
  type StoredStanding,
} from './records-standing.ts';
import { RecordsCounter, type RecordsSummary } from './records-summary.ts';

/** What keeping a set in step with artifacts works on. */
export interface RecordsUpkeep {
  readonly set: ResourceSet;
  readonly source: RecordsSource;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'folders' | 'objects' | 'name'>;
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly updater: EventPoster;
  readonly comparer: Pick<Comparer, 'compare'>;
}

export interface UpToDateOptions extends RecordsUpkeep {
  /** Compares also with an artifact that the set was compared with. */
  readonly again?: boolean | undefined;
  /** Lets an artifact without records take away all that there is. */
  readonly acceptsEmpty?: boolean | undefined;
  /** Goes back to the newest artifact that is there, when the one that the set tells is newer, and gone. */
  readonly acceptsOlder?: boolean | undefined;
  /** Posts nothing, and counts what would be done. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  readonly onChange?: ((kind: ChangeKind, key: ResourceKey) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whose positions the generations of artifacts are. */
const SOURCE = 'records';
/** Steps that are posted at a time: the store has the next one before it has committed one. More take memory, and are no faster. */
const POSTINGS = 2;
/** No record has it: an id is never empty. */
const NO_RECORD: ResourceKey = '/';

/** Somebody else has come to another artifact: what was found does not count any more. */
const OVERTAKEN = Symbol('overtaken');

/**
 * Makes a set tell what the newest artifact of its provider's activity does. Any number of processes may do so at once, however late one of them is:
 *
 * 1. Which artifact is told is said first, in the catalog, by compare-and-set; each has a higher generation than the one before.
 * 2. Then an event that changes nothing takes the generation's position in the log. From then on, the store drops every event of a lower one.
 * 3. Only then the state is read, and what differs is posted, at that position. Two that compare the same artifact post the same states, of which
 *    the second is no news.
 * 4. That it is complete is noted last: whoever was killed before is followed by one who compares again.
 *
 * Undefined when the set told it already.
 * @throws TidemarkError `unavailable` when there is no artifact, it cannot be read, is empty, or older than the one before; then nothing was posted
 */
export async function bringUpToDate(options: UpToDateOptions): Promise<RecordsSummary | undefined> {
  for (;;) {
    const { signal, set, catalog } = options;
    signal?.throwIfAborted();
    const latest = await newestArtifact(options);
    const before = await readStanding(catalog, set.id);
    const isSame = before?.body.key === latest.key;
    const isCompared = isSame && before.body.compared !== undefined && hasHashesOf(before.body, set);
    if (isCompared && options.again !== true) return undefined;
    if (!isSame && before !== undefined && latest.start <= before.body.start && options.acceptsOlder !== true) {
      throw olderThan(before.body, latest, set);
    }
    const summary = options.dryRun === true ? await tryOut(options, latest) : await follow(options, latest, before);
    if (summary !== OVERTAKEN) return summary;
  }
}

async function newestArtifact({ artifacts, set, source }: RecordsUpkeep): Promise<ComparedArtifact> {
  const { provider, activity } = source;
  const found = await latestArtifact(artifacts, { provider, activity: activity as Activity });
  if (found !== undefined) return comparedArtifact(found);
  throw new TidemarkError(
    'unavailable',
    `there is no artifact of ${formatRecordsSource(source)} in ${artifacts.name}: "tidemark activity run ${activity} ${provider}" makes one`,
    { set: set.slug },
  );
}

async function tryOut(options: UpToDateOptions, artifact: ComparedArtifact): Promise<RecordsSummary> {
  const counter = new RecordsCounter();
  for await (const step of steps(options, artifact)) {
    counter.step(step);
    for (const { key, told, known } of step.differences) {
      const kind = decide(known, told)!;
      counter.changed(kind);
      options.onChange?.(kind, key);
    }
    options.onProgress?.(counter.progress());
  }
  return counter.summary(artifact.key);
}

async function follow(
  options: UpToDateOptions,
  artifact: ComparedArtifact,
  before: StoredStanding | undefined,
): Promise<RecordsSummary | typeof OVERTAKEN> {
  const standing = await begin(options, artifact, before);
  if (standing === OVERTAKEN) return OVERTAKEN;
  failpoint('records.begun');
  const counter = new RecordsCounter();
  const posting = mapInOrder(steps(options, artifact), POSTINGS, (step) => {
    counter.step(step);
    return postDifferences(options, step.differences, { standing: standing.body, counter });
  });
  for await (const isCurrent of posting) {
    if (!isCurrent) return OVERTAKEN;
    failpoint('records.posted');
    options.onProgress?.(counter.progress());
  }
  const summary = counter.summary(artifact.key);
  await end(options, standing, summary);
  return summary;
}

function steps({ comparer, set, acceptsEmpty = false, signal }: UpToDateOptions, artifact: ComparedArtifact) {
  const { id, urlPrefix, publishHashes } = set;
  return comparer.compare({ set: id, urlPrefix, publishHashes, artifact, acceptsEmpty }, signal);
}

/** Says which artifact is told, and takes its position in the log. */
async function begin(
  { catalog, set, updater }: RecordsUpkeep,
  artifact: ComparedArtifact,
  before: StoredStanding | undefined,
): Promise<StoredStanding | typeof OVERTAKEN> {
  // Who goes on with the same artifact has the same position: both say the same.
  const goesOn = before?.body.key === artifact.key && hasHashesOf(before.body, set);
  let standing = goesOn ? before : undefined;
  standing ??= await moveTo(catalog, set, { artifact, before });
  if (standing === undefined) return OVERTAKEN;
  const { id, urlPrefix } = set;
  const weight = entryWeight(urlPrefix, NO_RECORD, undefined);
  const [result] = await updater.post([
    { set: id, key: NO_RECORD, state: undefined, weight, ...positionOf(standing.body) },
  ]);
  if (result!.status === 'rejected') throw new TidemarkError('not-found', result!.message);
  if (result!.status === 'applied' || result!.reason !== 'repeated') return standing;
  // Somebody has come further, or the log knows of a standing that the catalog has lost: then the next one is above it.
  await moveTo(catalog, set, { artifact, before: standing });
  return OVERTAKEN;
}

/** Undefined when somebody else moved first. */
async function moveTo(
  catalog: RecordsUpkeep['catalog'],
  { id, hashesSince }: ResourceSet,
  { artifact, before }: { readonly artifact: ComparedArtifact; readonly before: StoredStanding | undefined },
): Promise<StoredStanding | undefined> {
  const { key, schema, start } = artifact;
  try {
    const body = { key, schema, start, generation: nextGeneration(before), hashesSince };
    return await putStanding(catalog, id, { body, before });
  } catch (error) {
    if (isTidemarkError(error, 'conflict')) return undefined;
    throw error;
  }
}

interface PostParts {
  readonly standing: RecordsStanding;
  readonly counter: RecordsCounter;
}

/** Returns false when somebody else has come to another artifact: then the store took none of the rest. */
async function postDifferences(
  { set, updater, onChange }: UpToDateOptions,
  differences: readonly RecordDifference[],
  { standing, counter }: PostParts,
): Promise<boolean> {
  const { id, urlPrefix } = set;
  const position = positionOf(standing);
  const events = differences.map(({ key, told }): ChangeEvent => {
    const state = told === undefined ? undefined : decodeState(told);
    return { set: id, key, state, weight: entryWeight(urlPrefix, key, state), ...position };
  });
  for (const [at, result] of (await updater.post(events)).entries()) {
    if (result.status === 'rejected') throw new TidemarkError('not-found', result.message);
    if (result.status === 'unchanged' && result.reason === 'repeated') return false;
    if (result.status === 'unchanged') counter.known();
    else {
      counter.changed(result.kind);
      onChange?.(result.kind, events[at]!.key);
    }
  }
  return true;
}

function positionOf({ generation }: RecordsStanding) {
  return { source: SOURCE, position: generation, sharesPosition: true } as const;
}

async function end({ catalog, set }: RecordsUpkeep, before: StoredStanding, { files }: RecordsSummary): Promise<void> {
  const body = { ...before.body, compared: new Date().toISOString(), records: files };
  try {
    await putStanding(catalog, set.id, { body, before });
  } catch (error) {
    // Somebody else noted the same, or has come further.
    if (!isTidemarkError(error, 'conflict')) throw error;
  }
}

function olderThan(before: RecordsStanding, latest: ComparedArtifact, { slug }: ResourceSet): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `the newest artifact is ${latest.key} now, and the set tells ${before.key}, which is newer: nothing is changed; if that was taken away on purpose, run "tidemark scan ${slug} --accept-older"`,
    { set: slug, artifact: before.key },
  );
}
