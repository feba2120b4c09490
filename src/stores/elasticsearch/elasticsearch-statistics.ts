import type { Change } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { SetLedger } from '../../core/set-ledger.ts';
import type { Stamp } from '../../core/stamp.ts';
import type {
  ActivityRange,
  ChangeCounts,
  HistoryRange,
  LatestRange,
  SetStatistics,
  SetSummary,
  Window,
} from '../set-statistics.ts';
import type { CurrentStateReader } from './current-state-reader.ts';
import type { IndexNames } from './index-names.ts';
import type { ChangeReader } from './search/change-reader.ts';
import type { WindowReader } from './search/window-reader.ts';
import type { StoredSets } from './stored-sets.ts';
import { notAbove, type Visibility } from './visibility.ts';

interface Parts {
  readonly names: IndexNames;
  readonly visibility: Visibility;
  readonly sets: StoredSets;
  readonly currentStates: CurrentStateReader;
  readonly windows: WindowReader;
  readonly changes: ChangeReader;
}

export class ElasticsearchStatistics implements SetStatistics {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async summary(set: SetId): Promise<SetSummary> {
    await this.#parts.visibility.settledFor(set);
    const [ledger] = await this.#parts.currentStates.ledgersOf([set]);
    return toSummary(ledger!);
  }

  async summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]> {
    const { visibility, sets: known, currentStates } = this.#parts;
    await Promise.all([visibility.settled(), known.load()]);
    const ledgers = await currentStates.ledgersOf(sets);
    return ledgers.map((ledger) => known.get(ledger.set) && toSummary(ledger));
  }

  async activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]> {
    await this.#parts.visibility.settledFor(set);
    return this.#parts.changes.activity(set, range);
  }

  async latest(set: SetId, range: LatestRange): Promise<readonly Change[]> {
    const head = await this.#parts.visibility.settledFor(set);
    return this.#parts.changes.latest(set, { ...range, before: notAbove(head, range.before) });
  }

  async history(set: SetId, key: ResourceKey, range: HistoryRange): Promise<readonly Change[]> {
    const head = await this.#parts.visibility.settledFor(set);
    return this.#parts.changes.history(set, key, { ...range, before: notAbove(head, range.before) });
  }

  async windows(set: SetId, after: Stamp): Promise<readonly Window[]> {
    const { names, visibility, windows } = this.#parts;
    for (let closed = 0; ; ) {
      // Waits until the windows that were closed are applied. They are visible after the refresh.
      await visibility.settledFor(set);
      if (closed > 0) await visibility.refresh(names.ledgers);
      const found = await windows.read(set, closed);
      if (found.windows.length >= found.closed) return found.windows.filter(({ from }) => from >= after);
      closed = found.closed;
    }
  }
}

function toSummary({ resources, changes, lastChange }: SetLedger): SetSummary {
  return { resources, changes, lastChange };
}
