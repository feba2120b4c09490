import type { Erratum } from './erratum.ts';

/** How many errata of a delivery have the same reason. */
export interface ReasonCount {
  /** The kind of the errata; without one, their reason, with an ellipsis in place of what differs. */
  readonly reason: string;
  readonly count: number;
  /** Present for warnings. */
  readonly warning?: true | undefined;
}

/** Most reasons that are counted separately; errata with others are counted together. */
const MOST_REASONS = 1_000;
const MOST_LENGTH = 200;
const OTHERS = 'other reasons';

/** What differs between reasons of one kind: quoted texts, characters, numbers of four digits and more, positions. */
const VARYING =
  /"(?:[^"\\]|\\.)*"|U\+[0-9A-F]+|(?<=\b(?:byte|record|line|number) )[\d,]+|\b\d{1,3}(?:,\d{3})+\b|\b\d{4,}|\b\d+(?= bytes)/g;

/** Counts errata by kind or reason. */
export class ReasonCounts {
  readonly #counts = new Map<string, { readonly reason: string; count: number; readonly warning?: true }>();
  #errors = 0;

  add({ kind, reason, warning }: Pick<Erratum, 'kind' | 'reason' | 'warning'>): void {
    if (!warning) this.#errors += 1;
    const word = kind ?? reason.slice(0, MOST_LENGTH).toWellFormed().replaceAll(VARYING, '…');
    const isNew = !this.#counts.has(keyOf(word, warning));
    const shown = isNew && this.#counts.size >= MOST_REASONS ? OTHERS : word;
    const counted = this.#counts.get(keyOf(shown, warning));
    if (counted !== undefined) counted.count += 1;
    else this.#counts.set(keyOf(shown, warning), { reason: shown, count: 1, ...(warning && { warning }) });
  }

  /** Number of errata that are no warnings. */
  get errors(): number {
    return this.#errors;
  }

  /** The reasons, the most frequent first; those beyond `most` are counted together. */
  list(most = MOST_REASONS): readonly ReasonCount[] {
    const sorted = [...this.#counts.values()].sort((one, other) => other.count - one.count);
    const shown = sorted.filter(({ reason }) => reason !== OTHERS).slice(0, most);
    const total = (counts: readonly ReasonCount[]) => counts.reduce((sum, { count }) => sum + count, 0);
    const rest = total(sorted) - total(shown);
    return [...shown, ...(rest > 0 ? [{ reason: OTHERS, count: rest }] : [])];
  }
}

const keyOf = (reason: string, warning: true | undefined): string => `${warning ? 'w' : 'e'}${reason}`;
