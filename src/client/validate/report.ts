import type { Level } from './rules/rule.ts';

/** A violation of a rule. */
export interface Finding {
  readonly rule: number;
  readonly level: Level;
  /** The URI of the document, resource or page. */
  readonly document: string;
  /** From 1; undefined if the finding is not in a document. */
  readonly line: number | undefined;
  readonly message: string;
}

/** A broken rule, with its number of findings. */
export interface BrokenRule {
  readonly rule: number;
  readonly level: Level;
  readonly findings: number;
}

export interface Progress {
  readonly documents: number;
  readonly entries: number;
  readonly resources: number;
  readonly packages: number;
  readonly bytes: number;
  /** Number of documents, resources and packages to read, as far as known. */
  readonly expected: number;
  /** The URI that is being read. */
  readonly uri: string;
}

export interface Report extends Omit<Progress, 'expected' | 'uri'> {
  readonly url: string;
  /** The URI where the Source Description is, or should be. */
  readonly description: string;
  /** Whether a document was read there. */
  readonly hasDescription: boolean;
  /** Why the URL itself could not be read, when the source was found by its host or by robots.txt. */
  readonly failure?: string | undefined;
  /** Why the validation is incomplete; empty when it is complete. */
  readonly incomplete: readonly string[];
  /** The first findings of each rule. */
  readonly findings: readonly Finding[];
  /** All broken rules, by number. */
  readonly broken: readonly BrokenRule[];
}

const MOST_FINDINGS_OF_A_RULE = 10;
const LEVELS: readonly Level[] = ['MUST', 'SHOULD', 'MAY', 'note'];

/** Keeps the first findings of each rule, and counts the others. */
export class FindingLog {
  readonly #findings = new Map<string, { first: Finding[]; count: number }>();

  add(finding: Finding): void {
    const key = `${finding.rule} ${finding.level}`;
    const kept = this.#findings.get(key) ?? { first: [], count: 0 };
    this.#findings.set(key, kept);
    kept.count++;
    if (kept.first.length < MOST_FINDINGS_OF_A_RULE) kept.first.push(finding);
  }

  get findings(): readonly Finding[] {
    return this.#sorted().flatMap(({ first }) => first);
  }

  get broken(): readonly BrokenRule[] {
    return this.#sorted().map(({ first, count }) => ({
      rule: first[0]!.rule,
      level: first[0]!.level,
      findings: count,
    }));
  }

  /** The most severe findings first. */
  #sorted() {
    const rank = ({ first: [finding] }: { first: Finding[] }) => LEVELS.indexOf(finding!.level) * 1000 + finding!.rule;
    return [...this.#findings.values()].sort((one, other) => rank(one) - rank(other));
  }
}

/** Number of findings at a level. */
export function countFindings({ broken }: Pick<Report, 'broken'>, level: Level): number {
  return broken.filter((rule) => rule.level === level).reduce((sum, { findings }) => sum + findings, 0);
}
