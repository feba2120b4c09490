import type { Level } from './rule.ts';

/**
 * What is needed to check a rule.
 *
 * - `documents`: the documents alone
 * - `source`: the responses of a source, earlier documents of it, or knowledge of its owner
 * - `packages`: dumps and their packages
 * - `subscribers`: the channels of a source with a hub, and subscribers, in test/http/notifications.test.ts
 * - `schema`: documents that our schemas must accept, in test/unit/publish/documents-schema.test.ts
 */
type Judged = 'documents' | 'source' | 'packages' | 'subscribers' | 'schema';
export type RuleEntry = readonly [number: number, level: Level, text: string, judged: Judged];

export interface RuleSection {
  readonly title: string;
  readonly rules: readonly RuleEntry[];
}
