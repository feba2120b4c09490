import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { latestArtifact } from '../../../artifacts/find-artifacts.ts';
import type { Activity } from '../../../artifacts/keys/activity.ts';
import { TidemarkError, unlessConflict } from '../../../core/errors.ts';
import { type ArtifactOrigin, formatProviderActivity } from '../../../core/origin.ts';
import { decodeState } from '../../../core/resource.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import type { ComparedArtifact } from '../../../records/digests/digest-records.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import type { EventPoster } from '../../../stores/event-poster.ts';
import type { LiveResource, OpenedResource } from '../../served-source.ts';
import type {
  CompareOptions,
  Comparison,
  Mismatch,
  Source,
  SourceProblem,
  SourceWatch,
  SyncStep,
} from '../../source.ts';
import { nextGeneration, positionOf, takePosition } from '../../sync/generation.ts';
import type { SyncSummary } from '../../sync-counter.ts';
import { watchNewest } from '../../watch-newest.ts';
import type { ArtifactRecords } from './artifact-records.ts';
import type { Comparer } from './comparer.ts';
import { countSteps } from './count-steps.ts';
import { openRecord } from './open-record.ts';
import {
  comparedArtifact,
  hasHashesOf,
  putCursor,
  readCursor,
  type StoredCursor,
  type SyncCursor,
} from './sync-cursor.ts';
import { verifyRecords } from './verify-records.ts';

export interface ArtifactSourceParts {
  readonly artifacts: Pick<ArtifactStore, 'list' | 'folders' | 'objects' | 'name'>;
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly updater: EventPoster;
  readonly comparer: Pick<Comparer, 'compare'>;
  readonly records: Pick<ArtifactRecords, 'read'>;
  /** Milliseconds between two checks for a newer artifact. */
  readonly pollIntervalMs: number;
}

/**
 * Syncs a set with the records of the newest artifact of a provider and activity. Any number of processes may compare
 * and post concurrently, however late one of them is:
 *
 * 1. The process first records in the catalog, by compare-and-set, which artifact the set mirrors. Each such record has
 *    a higher generation than the one before.
 * 2. It then posts an event that changes nothing but takes the generation's position in the log. From then on, the
 *    store drops every event of a lower position.
 * 3. Only then it reads the state and posts the differences, at that position. Two processes that compare the same
 *    artifact post the same states; the second changes nothing.
 * 4. It records last that the comparison is complete: if a process was killed before that, the next one compares again.
 */
export class ArtifactSource implements Source {
  /** A damaged artifact of a gigabyte must not be read again and again at short intervals. */
  readonly longestRetryMs = 300_000;
  readonly #set: ResourceSet;
  readonly #origin: ArtifactOrigin;
  readonly #parts: ArtifactSourceParts;

  constructor(set: ResourceSet, origin: ArtifactOrigin, parts: ArtifactSourceParts) {
    this.#set = set;
    this.#origin = origin;
    this.#parts = parts;
  }

  async compare(options: CompareOptions): Promise<Comparison | undefined> {
    for (;;) {
      options.signal?.throwIfAborted();
      const latest = await this.#requireNewest();
      const before = await readCursor(this.#parts.catalog, this.#set.id);
      const isSame = before?.body.key === latest.key;
      const isCompared = isSame && before.body.compared !== undefined && hasHashesOf(before.body, this.#set);
      if (isCompared && options.rehash !== true) return undefined;
      if (!isSame && before !== undefined && latest.start <= before.body.start && options.acceptsOlder !== true) {
        throw this.#olderThan(before.body, latest);
      }
      if (options.dryRun === true) return { steps: this.#steps(latest, options) };
      const cursor = await this.#begin(latest, before);
      if (cursor === undefined) continue;
      failpoint('records.begun');
      return {
        steps: this.#steps(latest, options),
        position: positionOf('records', cursor.body),
        end: (summary) => this.#end(cursor, summary),
      };
    }
  }

  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncIterable<readonly Mismatch[]> {
    return verifyRecords({ set: this.#set, origin: this.#origin, ...this.#parts }, options);
  }

  async watch(onChange: (path: string) => void, _onProblem: (problem: SourceProblem) => void): Promise<SourceWatch> {
    return watchNewest(async () => (await this.#newest())?.key, {
      intervalMs: this.#parts.pollIntervalMs,
      onChange: () => onChange(''),
    });
  }

  async open(resource: LiveResource): Promise<OpenedResource> {
    return openRecord(this.#set, resource, this.#parts.records);
  }

  async *#steps(artifact: ComparedArtifact, options: CompareOptions): AsyncGenerator<SyncStep> {
    const { acceptsEmpty = false, signal, counter } = options;
    const { id, urlPrefix, publishHashes } = this.#set;
    const comparison = { set: id, urlPrefix, publishHashes, artifact, acceptsEmpty };
    const steps = this.#parts.comparer.compare(comparison, signal);
    for await (const { differences } of countSteps(steps, artifact, counter)) {
      yield {
        differences: differences.map(({ key, state, known }) => {
          return { key, state: state && decodeState(state), known: known && decodeState(known) };
        }),
      };
    }
  }

  async #requireNewest(): Promise<ComparedArtifact> {
    const found = await this.#newest();
    if (found !== undefined) return comparedArtifact(found);
    const { provider, activity } = this.#origin;
    throw new TidemarkError(
      'unavailable',
      `there is no artifact of ${formatProviderActivity(this.#origin)} in ${this.#parts.artifacts.name}: "tidemark activity run ${activity} ${provider}" makes one`,
      { set: this.#set.slug },
    );
  }

  /** The newest artifact. Costs two or three list requests: of the dates, and of the files of the last date. */
  #newest() {
    const { provider, activity } = this.#origin;
    return latestArtifact(this.#parts.artifacts, { provider, activity: activity as Activity });
  }

  /**
   * Records which artifact the set mirrors, and takes its position in the log. Undefined when another process is ahead.
   */
  async #begin(artifact: ComparedArtifact, before: StoredCursor | undefined): Promise<StoredCursor | undefined> {
    // Processes that resume the same artifact use the same position, and post the same.
    const goesOn = before?.body.key === artifact.key && hasHashesOf(before.body, this.#set);
    const cursor = (goesOn ? before : undefined) ?? (await this.#moveTo(artifact, before));
    if (cursor === undefined) return undefined;
    if (await takePosition(this.#set, positionOf('records', cursor.body), this.#parts.updater)) return cursor;
    // Another process is ahead, or the catalog lost a cursor whose position is still in the log: the next generation is
    // above it.
    await this.#moveTo(artifact, cursor);
    return undefined;
  }

  /** Undefined when another process moved first. */
  async #moveTo(artifact: ComparedArtifact, before: StoredCursor | undefined): Promise<StoredCursor | undefined> {
    const { key, schema, start } = artifact;
    const { id, hashesSince } = this.#set;
    const body = { key, schema, start, generation: nextGeneration(before), hashesSince };
    return unlessConflict(putCursor(this.#parts.catalog, id, { body, replaces: before?.version }));
  }

  async #end(before: StoredCursor, summary: SyncSummary | undefined): Promise<void> {
    if (summary === undefined) return;
    const body = { ...before.body, compared: new Date().toISOString(), records: summary.files };
    // Another process may have recorded the same, or be ahead.
    await unlessConflict(putCursor(this.#parts.catalog, this.#set.id, { body, replaces: before.version }));
  }

  #olderThan(before: SyncCursor, latest: ComparedArtifact): TidemarkError {
    const { slug } = this.#set;
    return new TidemarkError(
      'unavailable',
      `the newest artifact is ${latest.key} now, and the set mirrors ${before.key}, which is newer: nothing is changed; if that was deleted on purpose, run "tidemark scan ${slug} --accept-older"`,
      { set: slug, artifact: before.key },
    );
  }
}
