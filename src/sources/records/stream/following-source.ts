import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { unlessConflict } from '../../../core/errors.ts';
import type { ResourceSet, SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import { KeptRecords } from '../../../records/again/kept-records.ts';
import {
  type FollowCursor,
  isAtRest,
  putFollowCursor,
  readFollowCursor,
  type StoredFollowCursor,
} from '../../../records/follow-cursor.ts';
import { setOfStream } from '../../../records/stream-set-names.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import type { ChangeLog } from '../../../stores/change-log.ts';
import type { EventPoster } from '../../../stores/event-poster.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { LiveResource, OpenedResource, WantedBytes } from '../../served-source.ts';
import type { CompareOptions, Comparison, Mismatch, Source, SourceWatch } from '../../source.ts';
import { nextGeneration, positionOf, takePosition } from '../../sync/generation.ts';
import type { SyncSummary } from '../../sync-counter.ts';
import type { ArtifactRecords } from '../artifact/artifact-records.ts';
import { compareSets } from './compare-sets.ts';
import type { DefaultStreams } from './default-streams.ts';
import { followPart, type LogPart, readPart } from './follow-log.ts';
import { openRepresentation, REPRESENTATIONS } from './open-representation.ts';
import type { StreamWatcher } from './stream-watcher.ts';
import { verifyFollowed } from './verify-followed.ts';

export interface FollowingSourceParts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly index: Pick<ChangeLog, 'changes' | 'watermark'> & Pick<ResourceStates, 'read' | 'lookup'>;
  readonly updater: EventPoster;
  readonly records: Pick<ArtifactRecords, 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly streams: DefaultStreams;
  readonly watcher: Pick<StreamWatcher, 'subscribe'>;
}

/** A part of the stream's log that is being posted. */
interface PostedPart {
  readonly cursor: StoredFollowCursor;
  readonly followed: SetId;
  /** Undefined while the whole sets are compared. */
  readonly part: LogPart | undefined;
}

interface NextPart extends Pick<PostedPart, 'part'> {
  /** The cursor while the part is posted. */
  readonly body: FollowCursor;
}

/**
 * Syncs a set with the records of the current default stream of an organization. Any number of processes may follow it
 * concurrently, however late one of them is:
 *
 * 1. The process first records in the catalog, by compare-and-set, which part of the stream's log is posted next, with
 *    a higher generation than the part before. When another stream has become the default, both sets are compared.
 * 2. It then posts an event that changes nothing but takes the generation's position in the log. From then on, the
 *    store drops every event of a lower position.
 * 3. Only then it posts differences, at that position. If two processes post the same part, the second changes nothing;
 *    while both compare the sets, each key is changed once.
 * 4. It records last that the part is complete: if a process was killed before that, the next one posts the part again.
 */
export class FollowingSource implements Source {
  readonly longestRetryMs = 60_000;
  readonly representations = REPRESENTATIONS;
  readonly #set: ResourceSet;
  readonly #organization: string;
  readonly #parts: FollowingSourceParts;
  /** The set of the followed stream; undefined while there is none. */
  #followed: SetId | undefined;

  constructor(set: ResourceSet, organization: string, parts: FollowingSourceParts) {
    this.#set = set;
    this.#organization = organization;
    this.#parts = parts;
  }

  async compare(options: CompareOptions): Promise<Comparison | undefined> {
    if (options.dryRun !== true) return this.#follow(options, options.rehash === true);
    const followed = await this.#followedSet();
    return (
      followed && { steps: compareSets({ ...this.#sets(followed.id, [], options), since: Number.POSITIVE_INFINITY }) }
    );
  }

  async *verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncGenerator<readonly Mismatch[]> {
    const followed = await this.#followedSet();
    const { catalog, index, artifacts } = this.#parts;
    const kept = new KeptRecords(catalog);
    yield* verifyFollowed({ index, kept, artifacts, set: this.#set.id, followed: followed?.id }, options);
  }

  watch(onChange: (path: string) => void): Promise<SourceWatch> {
    return this.#parts.watcher.subscribe({
      onDocument: ({ kind, id }) => {
        if (kind === 'organization' && id === this.#organization) onChange('');
      },
      onChanges: (sets) => {
        if (this.#followed === undefined || sets === undefined || sets.has(this.#followed)) onChange('');
      },
    });
  }

  open(resource: LiveResource, { representation }: Pick<WantedBytes, 'representation'>): Promise<OpenedResource> {
    return openRepresentation(this.#set, resource, { representation, records: this.#parts.records });
  }

  /** @param anew whether to compare both sets, whatever is recorded */
  async #follow(options: CompareOptions, anew: boolean): Promise<Comparison | undefined> {
    for (;;) {
      options.signal?.throwIfAborted();
      const part = await this.#begin(anew);
      if (part === 'again') continue;
      if (part === undefined) return undefined;
      failpoint('follow.begun');
      const { cursor, followed } = part;
      const leaving = part.part === undefined ? await this.#parts.streams.leavingOf(this.#organization) : [];
      const sets = this.#sets(followed, leaving, options);
      return {
        steps:
          part.part === undefined
            ? compareSets({ ...sets, since: cursor.body.through ?? 0 })
            : followPart({ ...sets, part: part.part }),
        position: positionOf('stream', cursor.body),
        end: (summary) => this.#end(cursor, summary),
        next: () => this.#follow(options, false),
      };
    }
  }

  #sets(followed: SetId, leaving: readonly string[], { counter, signal }: CompareOptions) {
    const { catalog, index } = this.#parts;
    return { index, kept: new KeptRecords(catalog, leaving), set: this.#set.id, followed, counter, signal };
  }

  async #followedSet(): Promise<{ readonly id: SetId; readonly stream: string } | undefined> {
    const stream = await this.#parts.streams.defaultOf(this.#organization);
    const name = { organization: this.#organization, stream };
    const id = stream === undefined ? undefined : await this.#parts.streams.setOf(setOfStream(name, 'records'));
    this.#followed = id;
    return id === undefined || stream === undefined ? undefined : { id, stream };
  }

  /** `again` when another process is ahead; undefined when the set is in sync with the stream. */
  async #begin(anew: boolean): Promise<PostedPart | undefined | 'again'> {
    const { catalog, index, updater } = this.#parts;
    const followed = await this.#followedSet();
    if (followed === undefined) return undefined;
    const before = await readFollowCursor(catalog, this.#set.id);
    const next = await this.#nextOf(before, followed, anew);
    if (next === undefined) return undefined;
    const { body, part } = next;
    const cursor = body === before?.body ? before : await this.#move(body, before);
    if (cursor === undefined) return 'again';
    if (!(await takePosition(this.#set, positionOf('stream', body), updater))) {
      await this.#move({ ...body, generation: nextGeneration(cursor) }, cursor);
      return 'again';
    }
    if (body.through !== undefined) return { cursor, followed: followed.id, part };
    // Read only now: every change of the set above this watermark is of this generation or a later one.
    const since = await this.#move({ ...body, through: await index.watermark() }, cursor);
    return since === undefined ? 'again' : { cursor: since, followed: followed.id, part };
  }

  /** Undefined when there is no next part. */
  async #nextOf(
    before: StoredFollowCursor | undefined,
    { id, stream }: { readonly id: SetId; readonly stream: string },
    anew: boolean,
  ): Promise<NextPart | undefined> {
    const generation = nextGeneration(before);
    if (before === undefined || before.body.stream !== stream || anew) {
      return { body: { generation, stream, comparing: true }, part: undefined };
    }
    const { through = 0, until } = before.body;
    // Processes that resume the same part use the same position, and post the same.
    if (!isAtRest(before.body))
      return { body: before.body, part: until === undefined ? undefined : await this.#read(id, through, until) };
    const part = await this.#read(id, through);
    return part && { body: { generation, stream, through, until: part.until }, part };
  }

  #read(followed: SetId, after: Stamp, until?: Stamp): Promise<LogPart | undefined> {
    return readPart(this.#parts.index, followed, { after, until });
  }

  /** Undefined when another process has replaced the cursor first. */
  #move(body: FollowCursor, before: StoredFollowCursor | undefined): Promise<StoredFollowCursor | undefined> {
    return unlessConflict(putFollowCursor(this.#parts.catalog, this.#set.id, { body, replaces: before?.version }));
  }

  async #end(before: StoredFollowCursor, summary: SyncSummary | undefined): Promise<void> {
    if (summary === undefined) return;
    failpoint('follow.posted');
    const { generation, stream, through = 0, until = through } = before.body;
    // When two processes post the same part, only one records its end.
    await this.#move({ generation, stream, through: until }, before);
  }
}
