import type { Change, PostableEvent, ReplayedChange } from '../../core/change.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { prefetchItems } from '../../lib/calls/prefetch.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { ChangeLog, LimitedStampRange, LogEntry, RaisedKey, SourcePosition, StampRange } from '../change-log.ts';
import type { CommitResult } from '../commit-result.ts';
import type { DropOptions, DroppedCommits, LogMaintenance } from '../log-maintenance.ts';
import type { Limits } from '../resource-states.ts';
import type { CurrentStateReader } from './current-state-reader.ts';
import type { Committer } from './elasticsearch-committer.ts';
import type { IndexNames } from './index-names.ts';
import type { ChangeReader } from './search/change-reader.ts';
import type { ResourceReader } from './search/resource-reader.ts';
import type { CommitDropper } from './segments/commit-dropper.ts';
import { notAbove, type Visibility } from './visibility.ts';

interface Parts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly visibility: Visibility;
  readonly committer: Committer;
  readonly currentStates: CurrentStateReader;
  readonly resources: ResourceReader;
  readonly changes: ChangeReader;
  readonly dropper: CommitDropper;
}

export class ElasticsearchChangeLog implements ChangeLog, LogMaintenance {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async commit(events: readonly (PostableEvent | ReplayedChange)[]): Promise<readonly CommitResult[]> {
    return events.length === 0 ? [] : this.#parts.committer.commit(events);
  }

  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]> {
    return this.commit(changes);
  }

  async *changes(set: SetId, { after, until, limit }: LimitedStampRange): AsyncIterable<readonly Change[]> {
    const head = await this.#parts.visibility.settledFor(set);
    yield* prefetchItems(this.#parts.changes.read(set, { after, until: notAbove(head, until), limit }));
  }

  async *log({ after, until }: StampRange): AsyncIterable<readonly Change[]> {
    const head = await this.#parts.visibility.settled();
    yield* prefetchItems(this.#parts.changes.read(undefined, { after, until: notAbove(head, until) }));
  }

  async positions(): Promise<readonly SourcePosition[]> {
    const { names, visibility, currentStates } = this.#parts;
    await visibility.settled();
    await visibility.refresh(names.ledgers);
    return currentStates.positions();
  }

  async *raisedOrders({ after, until }: StampRange): AsyncIterable<readonly RaisedKey[]> {
    const head = await this.#parts.visibility.settled();
    yield* this.#parts.resources.raisedOrders({ after, until: notAbove(head, until) });
  }

  dropCommits(below: Stamp, options?: DropOptions): Promise<DroppedCommits> {
    return this.#parts.dropper.drop(below, options);
  }

  /** Elasticsearch verifies the checksums of its files itself. */
  async findDamage(): Promise<readonly string[]> {
    return [];
  }

  async newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp> {
    await this.#parts.visibility.settledFor(set);
    let oldest = until;
    let sum = 0;
    for (const { stamp, weight } of await this.#parts.changes.weights(set, until, limits.entries)) {
      sum += weight;
      if (sum > limits.weight) break;
      oldest = stamp - 1;
    }
    return oldest;
  }

  async tail(after: Stamp, limit: number): Promise<readonly LogEntry[]> {
    const { stamp: last } = await this.#parts.visibility.settled();
    return last <= after ? [] : this.#parts.changes.tail({ after, until: last + 1 }, limit);
  }

  async watermark(): Promise<Stamp> {
    const { stamp } = await this.#parts.visibility.settled();
    return stamp + 1;
  }

  async committed(): Promise<Stamp> {
    const { stamp } = await this.#parts.visibility.committed();
    return stamp + 1;
  }

  mark(): Promise<Stamp> {
    return this.#parts.committer.mark();
  }
}
