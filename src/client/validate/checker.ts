import type { Document, Entry } from '../read/document.ts';
import type { FindingLog } from './report.ts';
import type {
  EntryContext,
  Level,
  List,
  Package,
  Problems,
  ResourceAnswer,
  Rule,
  Rules,
  Source,
} from './rules/rule.ts';

type Hook = keyof Rule;
type Hooks<Name extends Hook> = readonly (readonly [number: number, check: NonNullable<Rule[Name]>])[];

/** Applies rules to what was read, and logs the findings. */
export class Checker {
  readonly #log: FindingLog;
  readonly #levelOf: (rule: number) => Level;
  readonly #rules: { readonly [Name in Hook]: Hooks<Name> };

  constructor(log: FindingLog, rules: Rules, levelOf: (rule: number) => Level) {
    const numbered = Object.entries(rules).map(([number, rule]) => [Number(number), rule] as const);
    const having = <Name extends Hook>(name: Name): Hooks<Name> =>
      numbered.flatMap(([number, rule]) => (rule[name] === undefined ? [] : [[number, rule[name]] as const]));
    this.#log = log;
    this.#levelOf = levelOf;
    this.#rules = {
      entry: having('entry'),
      extension: having('extension'),
      document: having('document'),
      list: having('list'),
      answered: having('answered'),
      package: having('package'),
      source: having('source'),
    };
  }

  entry(entry: Entry, context: EntryContext): void {
    const { document } = context;
    for (const [rule, check] of this.#rules.entry) {
      const problems = check(entry, context);
      if (problems.length > 0) this.#report(rule, problems, document.uri, entry.line);
    }
    for (const extension of entry.extensions) {
      for (const [rule, check] of this.#rules.extension) {
        const problems = check(extension, document, entry);
        if (problems.length > 0) this.#report(rule, problems, document.uri, extension.line);
      }
    }
  }

  /** Called after everything was read. */
  document(document: Document, source: Source): void {
    for (const [rule, check] of this.#rules.document) {
      this.#report(rule, check(document, source), document.uri, document.mdLine);
    }
    for (const extension of document.extensions) {
      for (const [rule, check] of this.#rules.extension) {
        this.#report(rule, check(extension, document, undefined), document.uri, extension.line);
      }
    }
  }

  answered(entry: Entry, answer: ResourceAnswer, document: Document): void {
    for (const [rule, check] of this.#rules.answered) {
      const problems = check(entry, answer, document);
      this.#report(
        rule,
        problems.map((problem) =>
          typeof problem === 'string'
            ? `${entry.loc}: ${problem}`
            : { ...problem, message: `${entry.loc}: ${problem.message}` },
        ),
        document.uri,
        entry.line,
      );
    }
  }

  list(list: List, source: Source): void {
    for (const [rule, check] of this.#rules.list) {
      this.#report(rule, check(list, source), list.head.uri, list.head.mdLine);
    }
  }

  package(read: Package, source: Source): void {
    for (const [rule, check] of this.#rules.package) {
      this.#report(rule, check(read, source), read.dump.uri, read.entry.line);
    }
  }

  source(source: Source): void {
    for (const [rule, check] of this.#rules.source) this.#report(rule, check(source), source.description, undefined);
  }

  #report(rule: number, problems: Problems, document: string, line: number | undefined): void {
    for (const problem of problems) {
      const located = typeof problem === 'string' ? { message: problem } : problem;
      this.#log.add({
        rule,
        level: located.level ?? this.#levelOf(rule),
        document: located.document ?? document,
        line: located.document === undefined ? (located.line ?? line) : located.line,
        message: located.message,
      });
    }
  }
}
