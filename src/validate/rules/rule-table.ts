import type { Level } from './rule.ts';
import type { RuleEntry, RuleSection } from './rule-entry.ts';
import { RULES_OF_CHANGES } from './rules-of-changes.ts';
import { RULES_OF_LISTS } from './rules-of-lists.ts';

/** Every rule of ResourceSync 1.1 as docs/conformance.md numbers them. */
export const RULE_TABLE: readonly RuleSection[] = [...RULES_OF_LISTS, ...RULES_OF_CHANGES];

/** How many rules apply to what is published, of all. */
export function countRules(): { readonly applying: number; readonly all: number } {
  const rules = RULE_TABLE.flatMap((section) => section.rules);
  return { applying: rules.filter(([, , , judged]) => judged !== 'no').length, all: rules.length };
}

const entries = new Map(RULE_TABLE.flatMap(({ rules }) => rules).map((rule) => [rule[0], rule]));

export const ruleOf = (number: number): RuleEntry => entries.get(number)!;

export const levelOf = (number: number): Level => ruleOf(number)[1];
