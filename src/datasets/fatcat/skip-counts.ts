import { formatCount } from '../../lib/format-count.ts';

/** Counts what gives no entity, by reason. */
export class SkipCounts {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** `3 skipped: 2 terminal-bad-status, 1 no result yet`, the most frequent first. */
  text(): string {
    const parts = this.#sorted().map(([reason, count]) => `${formatCount(count)} ${reason}`);
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    return total === 0 ? 'none skipped' : `${formatCount(total)} skipped: ${parts.join(', ')}`;
  }

  toJSON(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#sorted());
  }

  #sorted(): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  }
}
