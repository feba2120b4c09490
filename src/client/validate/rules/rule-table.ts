import type { Level } from './rule.ts';
import type { RuleEntry, RuleSection } from './rule-entry.ts';
import { RULES_OF_CHANGES } from './rules-of-changes.ts';
import { RULES_OF_LISTS } from './rules-of-lists.ts';

/** Every rule of ResourceSync 1.1, numbered as in docs/validator.md. */
export const RULE_TABLE: readonly RuleSection[] = [...RULES_OF_LISTS, ...RULES_OF_CHANGES];

const entries = new Map(RULE_TABLE.flatMap(({ rules }) => rules).map((rule) => [rule[0], rule]));

export const ruleOf = (number: number): RuleEntry => entries.get(number)!;

export const levelOf = (number: number): Level => ruleOf(number)[1];
