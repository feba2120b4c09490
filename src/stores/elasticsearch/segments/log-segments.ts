import { isTidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import type { Applier } from '../applier.ts';
import type { CommitLog } from '../commit-log.ts';
import { emptyRecord } from '../commit-record.ts';
import type { IndexNames } from '../index-names.ts';
import type { IndicesIdentity } from '../indices-identity.ts';
import { makeLogSegment, segmentSizes } from './segment-indices.ts';

export interface SegmentLimits {
  /** Bytes of the primary shard. */
  readonly bytes: number;
  readonly commits: number;
  /** Number of commits between two checks of the size of the last segment. */
  readonly measureAfter: number;
}

/** A shard can have some 50 GB. So many dropped commits, which stay until their segment is removed, take 2 GB. */
const LIMITS: SegmentLimits = { bytes: 50 * 1024 ** 3, commits: 20_000_000, measureAfter: 1_000 };

interface SegmentsParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly identity: IndicesIdentity;
  readonly applier: Applier;
  changesIndex(): Promise<string>;
}

/**
 * The log is a sequence of segments, each with a range of numbers in an index of its own, so that old commits can be
 * deleted with their index. A *seal*, an empty commit, ends a segment: the place of each number follows from the
 * commits before it. See docs/internals/elasticsearch.md.
 */
export class LogSegments {
  readonly #parts: SegmentsParts;
  readonly #limits: SegmentLimits;
  /** The head at the last check. */
  #measured = { number: 0, segment: 0 };

  constructor(parts: SegmentsParts, limits: Partial<SegmentLimits> = {}) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Ends the last segment if it is full. Call it within `exclusive`.
   * @throws TidemarkError as `CommitLog.append`
   */
  async endIfFull(): Promise<void> {
    const { log } = this.#parts;
    const { number, segment } = log.head;
    // A process that has not read the log does not know its last segment.
    if (number === 0) return;
    if (segment === this.#measured.segment && number < this.#measured.number + this.#limits.measureAfter) return;
    if (await this.#mayEnd(segment)) await this.#end(segment);
    const { head } = log;
    this.#measured = { number: head.number, segment: head.segment };
  }

  /** Whether the segment is full, and the next one can be written to. If not, commits go on into the full one. */
  async #mayEnd(segment: number): Promise<boolean> {
    const { cluster, names, identity } = this.#parts;
    try {
      const [size] = (await segmentSizes(cluster, names.logSegment(segment))).values();
      if (size === undefined || (size.bytes < this.#limits.bytes && size.commits < this.#limits.commits)) return false;
      // A log that was deleted must not begin anew in the middle.
      await identity.require();
      await makeLogSegment(cluster, names, segment + 1);
      failpoint('segment.made');
      return true;
    } catch (error) {
      if (isTidemarkError(error)) return false;
      throw error;
    }
  }

  /** Appends a seal, unless another process has ended the segment: as for any commit, only its number decides. */
  async #end(segment: number): Promise<void> {
    const { log, applier, changesIndex } = this.#parts;
    while (log.head.segment === segment) {
      const empty = emptyRecord(log.head, { stamp: log.head.stamp, changesIndex: await changesIndex() });
      const seal = { ...empty, isSeal: true } as const;
      if (await log.append(seal)) applier.start(seal);
      else await log.catchUp();
    }
  }
}
