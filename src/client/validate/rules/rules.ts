import { ALL_DOCUMENTS } from './all-documents.ts';
import { ARCHIVES } from './archives.ts';
import { CHANGE_LISTS } from './change-list-rules.ts';
import { CLIENTS } from './clients.ts';
import { DUMP_RULES } from './dump-rules.ts';
import { NAVIGATION } from './navigation-rules.ts';
import { NOTIFICATION } from './notification-rules.ts';
import { RELATED } from './related.ts';
import { RESOURCE_LISTS } from './resource-list-rules.ts';
import { RESOURCES } from './resources.ts';
import type { Rules } from './rule.ts';

/** The rules of ResourceSync 1.1 that can be checked from outside, numbered as in docs/validator.md. */
export const RULES: Rules = {
  ...ALL_DOCUMENTS,
  ...RESOURCES,
  ...NAVIGATION,
  ...RESOURCE_LISTS,
  ...CHANGE_LISTS,
  ...DUMP_RULES,
  ...RELATED,
  ...ARCHIVES,
  ...NOTIFICATION,
  ...CLIENTS,
};
