import { activityRun } from './activity-run.ts';
import { archive } from './archive.ts';
import { artifactsAt } from './artifacts-at.ts';
import { artifactsCat } from './artifacts-cat.ts';
import { artifactsLatest } from './artifacts-latest.ts';
import { artifactsList } from './artifacts-list.ts';
import { artifactsShow } from './artifacts-show.ts';
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
import { rebuild } from './rebuild.ts';
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
  activity: 'Activities: what makes artifacts of records.',
  artifacts: 'Artifacts: Avro files that never change, with their provenance.',
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
  activityRun,
  artifactsLatest,
  artifactsAt,
  artifactsList,
  artifactsShow,
  artifactsCat,
  pageList,
  pageRefresh,
  verifySet,
  tokensCreate,
  tokensList,
  tokensRevoke,
  status,
  backup,
  restore,
  archive,
  rebuild,
  migrate,
];
