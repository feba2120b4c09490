import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { rekey } from './rekey.ts';
import type { SetDocuments } from './set-documents.ts';

type Index = Pick<ChangeLog, 'mark' | 'commit'> &
  Pick<ResourceStates, 'read' | 'lookup'> &
  Pick<SetStatistics, 'summary'>;

/** Begins new epochs of sets. A set is not ready until every resource has the key of its URI. */
export class Epochs {
  readonly #documents: SetDocuments;
  readonly #index: Index;

  constructor(documents: SetDocuments, index: Index) {
    this.#documents = documents;
    this.#index = index;
  }

  async begin(slug: string, change: (set: ResourceSet) => Partial<ResourceSet>): Promise<ResourceSet> {
    const { id, imported } = (await this.#documents.require(slug)).body;
    const { lastChange } = await this.#index.summary(id);
    const asImported = imported?.through !== undefined && lastChange <= imported.through;
    await this.#documents.replace(slug, (set) => ({
      ...set,
      ...change(set),
      ready: false,
      moving: set.moving ?? { ready: set.ready, asImported },
    }));
    return this.finish(slug);
  }

  /** The lists of the new epoch begin when all keys are right. */
  async finish(slug: string): Promise<ResourceSet> {
    // Every commit after this mark uses the new prefix; reads after it see all earlier commits.
    await this.#index.mark();
    await rekey(this.#index, (await this.#documents.require(slug)).body);
    const epochStart = await this.#index.mark();
    const { lastChange } = await this.#index.summary((await this.#documents.require(slug)).body.id);
    return this.#documents.replace(slug, ({ moving, ...set }) => ({
      ...set,
      epochStart,
      ready: moving?.ready ?? set.ready,
      // A later import may continue, because these changes do not affect what was imported.
      ...(set.imported !== undefined && moving?.asImported && { imported: { ...set.imported, through: lastChange } }),
    }));
  }
}

/**
 * The epoch for a restored store, in minutes since 2020. The store does not know which later epochs it has lost, and
 * their names must not be reused with another meaning. Epochs that only count moves never become as large.
 */
export function epochOfClock(stamp: Stamp): number {
  return Math.floor((stamp / 1_000_000 - 1_577_836_800) / 60);
}
