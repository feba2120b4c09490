import { type Erratum, inColumns } from './erratum.ts';
import { faultWords } from './fault-kinds.ts';

/** How many errata of a delivery have the same kind and field; or the same reason, where their kind says no more. */
export interface ReasonCount {
  /** The field and what is wrong; or the kind; or the reason, with an ellipsis in place of what differs. */
  readonly reason: string;
  readonly count: number;
  /** Present for warnings. */
  readonly warning?: true | undefined;
  /** One of `FAULT_KINDS`; absent of other kinds, and when an earlier version counted. */
  readonly kind?: string | undefined;
  readonly field?: string | undefined;
  /** The first erratum; of activities, of harvests and of earlier versions, there is none. */
  readonly example?: Erratum | undefined;
}

/** Most reasons that are counted separately; errata with others are counted together. */
const MOST_REASONS = 1_000;
const MOST_LENGTH = 200;
/** The reason of those that are counted together. */
export const OTHERS = 'other reasons';

/** What differs between reasons of one kind: quoted texts, characters, numbers of four digits and more, positions. */
const VARYING =
  /"(?:[^"\\]|\\.)*"|U\+[0-9A-F]+|(?<=\b(?:byte|record|line|number) )[\d,]+|\b\d{1,3}(?:,\d{3})+\b|\b\d{4,}|\b\d+(?= bytes)/g;

/** Counts errata by kind and field, or by reason. */
export class ReasonCounts {
  readonly #counts = new Map<string, { -readonly [Name in keyof ReasonCount]: ReasonCount[Name] }>();
  #errors = 0;

  add(erratum: Erratum): void {
    if (!erratum.warning) this.#errors += 1;
    const key = groupOf(erratum);
    const counted = this.#counts.get(key);
    if (counted !== undefined) counted.count += 1;
    else if (this.#counts.size < MOST_REASONS) this.#counts.set(key, { ...groupWords(erratum), count: 1 });
    else this.#addOther(erratum);
  }

  #addOther({ warning }: Erratum): void {
    const key = `${warning ? 'w' : 'e'}${OTHERS}`;
    const counted = this.#counts.get(key);
    if (counted !== undefined) counted.count += 1;
    else this.#counts.set(key, { reason: OTHERS, count: 1, ...(warning && { warning }) });
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

/** What all errata of a group have in common, and no other ones. */
export function groupOf(erratum: Pick<Erratum, 'kind' | 'field' | 'reason' | 'warning'>): string {
  return `${erratum.warning ? 'w' : 'e'}${reasonOfGroup(erratum)}`;
}

function groupWords(erratum: Erratum): Omit<ReasonCount, 'count'> {
  const { kind, field, warning } = erratum;
  const words = faultWords(kind);
  const reason = reasonOfGroup(erratum);
  if (words === undefined) return { reason, ...(warning && { warning }) };
  const example = inColumns({ ...erratum, reason: erratum.reason.slice(0, MOST_LENGTH).toWellFormed() });
  const isByField = words.title !== undefined && field !== undefined;
  return { reason, ...(warning && { warning }), kind, ...(isByField && { field }), example };
}

function reasonOfGroup({ kind, field, reason }: Pick<Erratum, 'kind' | 'field' | 'reason'>): string {
  const words = faultWords(kind);
  if (words?.title !== undefined) return field === undefined ? words.title : `${field.slice(0, 20)}: ${words.title}`;
  if (kind !== undefined && words === undefined) return kind;
  return reason.slice(0, MOST_LENGTH).toWellFormed().replaceAll(VARYING, '…');
}
