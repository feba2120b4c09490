import { changesList } from './changes-list.ts';
import { changesPost } from './changes-post.ts';
import type { CliCommand } from './cli-command.ts';
import { importSets } from './import-sets.ts';
import { migrate } from './migrate.ts';
import { pageList } from './page-list.ts';
import { pageRefresh } from './page-refresh.ts';
import { publish } from './publish.ts';
import { scanSet } from './scan-set.ts';
import { serve } from './serve.ts';
import { setsAdd } from './sets-add.ts';
import { setsList } from './sets-list.ts';
import { setsMove } from './sets-move.ts';
import { setsRemove } from './sets-remove.ts';
import { setsShow } from './sets-show.ts';
import { status } from './status.ts';
import { verifySet } from './verify-set.ts';

export const GROUPS = {
  sets: 'Resource sets: what one Capability List covers.',
  changes: 'The changes of a set.',
  page: 'The pages of a Resource List.',
} as const;

/** Every command, in the order of the help. */
export const COMMANDS: readonly CliCommand[] = [
  publish,
  serve,
  setsAdd,
  setsList,
  setsShow,
  setsMove,
  setsRemove,
  scanSet,
  changesPost,
  changesList,
  importSets,
  pageList,
  pageRefresh,
  verifySet,
  status,
  migrate,
];
