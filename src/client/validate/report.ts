import type { Level } from './rules/rule.ts';

/** What breaks a rule. */
export interface Finding {
  readonly rule: number;
  readonly level: Level;
  /** The URI of the document, resource or page. */
  readonly document: string;
  /** From 1; undefined for what is no document. */
  readonly line: number | undefined;
  readonly message: string;
}

/** How often a rule was broken. */
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
  /** How many documents, resources and packages are to be read, as far as it is known. */
  readonly expected: number;
  /** What is being read. */
  readonly uri: string;
}

export interface Report extends Omit<Progress, 'expected' | 'uri'> {
  readonly url: string;
  /** Where the Source Description is, or should be. */
  readonly description: string;
  /** Whether a document was read there. */
  readonly hasDescription: boolean;
  /** Why nothing was read of the URL itself, when the source was found by its host or by robots.txt. */
  readonly failure?: string | undefined;
  /** Why not everything was read, when it was not. */
  readonly incomplete: readonly string[];
  /** Of each rule, the first ones. */
  readonly findings: readonly Finding[];
  /** Every rule that was broken, by its number. */
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

  /** What matters most comes first. */
  #sorted() {
    const rank = ({ first: [finding] }: { first: Finding[] }) => LEVELS.indexOf(finding!.level) * 1000 + finding!.rule;
    return [...this.#findings.values()].sort((one, other) => rank(one) - rank(other));
  }
}

/** How many findings of a level there are. */
export function countFindings({ broken }: Pick<Report, 'broken'>, level: Level): number {
  return broken.filter((rule) => rule.level === level).reduce((sum, { findings }) => sum + findings, 0);
}
