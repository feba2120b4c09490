import { ALL_DOCUMENTS } from './rules/all-documents.ts';
import { CHANGE_LISTS } from './rules/change-lists.ts';
import { CLIENTS } from './rules/clients.ts';
import { NAVIGATION } from './rules/navigation.ts';
import { RELATED } from './rules/related.ts';
import { RESOURCE_LISTS } from './rules/resource-lists.ts';
import type { Rule, Source } from './rules/source.ts';

/** The rules of ResourceSync 1.1 that a program can judge, by the numbers of docs/conformance.md. */
export const RULES: Readonly<Record<number, Rule>> = {
  ...ALL_DOCUMENTS,
  ...NAVIGATION,
  ...RESOURCE_LISTS,
  ...CHANGE_LISTS,
  ...RELATED,
  ...CLIENTS,
};

/** Everything that is wrong with a source, each with the number of the rule. */
export function violations(source: Source): readonly string[] {
  return Object.entries(RULES).flatMap(([number, rule]) => rule(source).map((message) => `rule ${number}: ${message}`));
}
