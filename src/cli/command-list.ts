import { backup } from './backup.ts';
import { changesList } from './changes-list.ts';
import { changesPost } from './changes-post.ts';
import { changesPostings } from './changes-postings.ts';
import type { CliCommand } from './cli-command.ts';
import { importSets } from './import-sets.ts';
import { migrate } from './migrate.ts';
import { pageList } from './page-list.ts';
import { pageRefresh } from './page-refresh.ts';
import { publish } from './publish.ts';
import { resourcesFind } from './resources-find.ts';
import { restore } from './restore.ts';
import { scanSet } from './scan-set.ts';
import { serve } from './serve.ts';
import { setsAdd } from './sets-add.ts';
import { setsChange } from './sets-change.ts';
import { setsList } from './sets-list.ts';
import { setsMove } from './sets-move.ts';
import { setsRemove } from './sets-remove.ts';
import { setsRenew } from './sets-renew.ts';
import { setsShow } from './sets-show.ts';
import { status } from './status.ts';
import { tokensCreate } from './tokens-create.ts';
import { tokensList } from './tokens-list.ts';
import { tokensRevoke } from './tokens-revoke.ts';
import { verifySet } from './verify-set.ts';

export const GROUPS = {
  sets: 'Resource sets: what one Capability List covers.',
  changes: 'The changes of a set.',
  resources: 'The resources of a set.',
  page: 'The pages of a Resource List.',
  tokens: 'Tokens: who may post, read private sets, or administer.',
} as const;

/** Every command, in the order of the help. */
export const COMMANDS: readonly CliCommand[] = [
  publish,
  serve,
  setsAdd,
  setsList,
  setsShow,
  setsChange,
  setsMove,
  setsRenew,
  setsRemove,
  scanSet,
  changesPost,
  changesList,
  changesPostings,
  resourcesFind,
  importSets,
  pageList,
  pageRefresh,
  verifySet,
  tokensCreate,
  tokensList,
  tokensRevoke,
  status,
  backup,
  restore,
  migrate,
];
