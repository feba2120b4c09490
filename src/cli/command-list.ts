import type { CliCommand } from './cli-command.ts';

export const GROUPS = {
  sets: 'Resource sets: what one Capability List covers.',
  changes: 'The changes of a set.',
  resources: 'The resources of a set.',
  page: 'The pages of a Resource List.',
  activity: 'Activities: what makes artifacts of records.',
  artifacts: 'Artifacts: Avro files that never change, with their provenance.',
  tokens: 'Tokens: who may post, read private sets, or administer.',
} as const;

/**
 * Every command by its name, in the order of the help. Each is loaded on demand: loading all takes longer than running
 * most.
 */
const LOADERS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  publish: async () => (await import('./commands/publish.ts')).publish,
  serve: async () => (await import('./commands/serve.ts')).serve,
  'sets add': async () => (await import('./commands/sets/sets-add.ts')).setsAdd,
  'sets list': async () => (await import('./commands/sets/sets-list.ts')).setsList,
  'sets show': async () => (await import('./commands/sets/sets-show.ts')).setsShow,
  'sets change': async () => (await import('./commands/sets/sets-change.ts')).setsChange,
  'sets move': async () => (await import('./commands/sets/sets-move.ts')).setsMove,
  'sets renew': async () => (await import('./commands/sets/sets-renew.ts')).setsRenew,
  'sets remove': async () => (await import('./commands/sets/sets-remove.ts')).setsRemove,
  scan: async () => (await import('./commands/scan-set.ts')).scanSet,
  'changes post': async () => (await import('./commands/changes-post.ts')).changesPost,
  'changes list': async () => (await import('./commands/changes-list.ts')).changesList,
  'changes postings': async () => (await import('./commands/changes-postings.ts')).changesPostings,
  'resources find': async () => (await import('./commands/resources-find.ts')).resourcesFind,
  'import-index': async () => (await import('./commands/import-sets.ts')).importSets,
  'activity run': async () => (await import('./commands/activity-run.ts')).activityRun,
  'artifacts latest': async () => (await import('./commands/artifacts/artifacts-latest.ts')).artifactsLatest,
  'artifacts at': async () => (await import('./commands/artifacts/artifacts-at.ts')).artifactsAt,
  'artifacts list': async () => (await import('./commands/artifacts/artifacts-list.ts')).artifactsList,
  'artifacts show': async () => (await import('./commands/artifacts/artifacts-show.ts')).artifactsShow,
  'artifacts cat': async () => (await import('./commands/artifacts/artifacts-cat.ts')).artifactsCat,
  'artifacts index': async () => (await import('./commands/artifacts/artifacts-index.ts')).artifactsIndex,
  'page list': async () => (await import('./commands/page-list.ts')).pageList,
  'page refresh': async () => (await import('./commands/page-refresh.ts')).pageRefresh,
  verify: async () => (await import('./commands/verify-set.ts')).verifySet,
  'tokens create': async () => (await import('./commands/tokens-create.ts')).tokensCreate,
  'tokens list': async () => (await import('./commands/tokens-list.ts')).tokensList,
  'tokens revoke': async () => (await import('./commands/tokens-revoke.ts')).tokensRevoke,
  status: async () => (await import('./commands/status.ts')).status,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/restore.ts')).restore,
  archive: async () => (await import('./commands/archive.ts')).archive,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  clock: async () => (await import('./commands/clock.ts')).clock,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
};

/** The commands that a command line may mean: the one named by its first words, else those of the group, else all. */
export function loadCommands(words: readonly string[]): Promise<readonly CliCommand[]> {
  const [first = '', second = ''] = words;
  const names = Object.keys(LOADERS);
  const named = names.filter((name) => name === first || name === `${first} ${second}`);
  const grouped = names.filter((name) => name.startsWith(`${first} `));
  const meant = [named, grouped].find(({ length }) => length > 0) ?? names;
  return Promise.all(meant.map((name) => LOADERS[name]!()));
}

/** Every command, in the order of the help. */
export function allCommands(): Promise<readonly CliCommand[]> {
  return loadCommands([]);
}
