import type { Level } from './rule.ts';

/**
 * - `documents`: judged from the documents alone
 * - `source`: judged from what a source answers, from what it published before, or from what its owner knows
 * - `packages`: judged from dumps and the packages that they name
 * - `subscribers`: judged from the channels of a source with a hub, and by subscribers, in
 *   test/http/notifications.test.ts
 * - `schema`: what our schemas must take, in test/unit/publish/documents-schema.test.ts
 */
export type Judged = 'documents' | 'source' | 'packages' | 'subscribers' | 'schema';
export type RuleEntry = readonly [number: number, level: Level, text: string, judged: Judged];

export interface RuleSection {
  readonly title: string;
  readonly rules: readonly RuleEntry[];
}
