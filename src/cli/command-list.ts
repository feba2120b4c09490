import type { CliCommand } from './cli-command.ts';

/**
 * Every command by its name, in the order of the help. Each is loaded on demand: loading all takes longer than running
 * most.
 */
const LOADERS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  publish: async () => (await import('./commands/publish.ts')).publish,
  demo: async () => (await import('./commands/demo/demo.ts')).demo,
  serve: async () => (await import('./commands/serve.ts')).serve,
  'sets add': async () => (await import('./commands/sets/sets-add.ts')).setsAdd,
  'sets list': async () => (await import('./commands/sets/set-commands.ts')).setsList,
  'sets show': async () => (await import('./commands/sets/set-commands.ts')).setsShow,
  'sets change': async () => (await import('./commands/sets/set-commands.ts')).setsChange,
  'sets move': async () => (await import('./commands/sets/set-commands.ts')).setsMove,
  'sets renew': async () => (await import('./commands/sets/set-commands.ts')).setsRenew,
  'sets remove': async () => (await import('./commands/sets/set-commands.ts')).setsRemove,
  'dumps build': async () => (await import('./commands/dump-commands.ts')).dumpsBuild,
  'dumps list': async () => (await import('./commands/dump-commands.ts')).dumpsList,
  'dumps remove': async () => (await import('./commands/dump-commands.ts')).dumpsRemove,
  'lists keep': async () => (await import('./commands/list-commands.ts')).listsKeep,
  'lists list': async () => (await import('./commands/list-commands.ts')).listsList,
  'lists prune': async () => (await import('./commands/list-commands.ts')).listsPrune,
  'versions list': async () => (await import('./commands/version-commands.ts')).versionsList,
  'versions prune': async () => (await import('./commands/version-commands.ts')).versionsPrune,
  scan: async () => (await import('./commands/scan-set.ts')).scanSet,
  'changes post': async () => (await import('./commands/change-commands.ts')).changesPost,
  'changes list': async () => (await import('./commands/change-commands.ts')).changesList,
  'changes postings': async () => (await import('./commands/change-commands.ts')).changesPostings,
  'resources list': async () => (await import('./commands/resource-commands.ts')).resourcesList,
  'resources show': async () => (await import('./commands/resource-commands.ts')).resourcesShow,
  'resources find': async () => (await import('./commands/resource-commands.ts')).resourcesFind,
  'import-index': async () => (await import('./commands/import-sets.ts')).importSets,
  'activity run': async () => (await import('./commands/activities/activity-run.ts')).activityRun,
  'activity list': async () => (await import('./commands/activities/activity-list.ts')).activityList,
  'activity show': async () => (await import('./commands/activities/activity-show.ts')).activityShow,
  'activity schedule': async () => (await import('./commands/activities/activity-schedule.ts')).activitySchedule,
  'activity schedules': async () => (await import('./commands/activities/activity-schedules.ts')).activitySchedules,
  'collections add': async () => (await import('./commands/harvests/collection-commands.ts')).collectionsAdd,
  'collections list': async () => (await import('./commands/harvests/collection-commands.ts')).collectionsList,
  'collections show': async () => (await import('./commands/harvests/collection-commands.ts')).collectionsShow,
  'collections change': async () => (await import('./commands/harvests/collection-commands.ts')).collectionsChange,
  'collections remove': async () => (await import('./commands/harvests/collection-commands.ts')).collectionsRemove,
  harvest: async () => (await import('./commands/harvests/harvest-collection.ts')).harvestCollection,
  'harvests list': async () => (await import('./commands/harvests/harvests-commands.ts')).harvestsList,
  'harvests show': async () => (await import('./commands/harvests/harvests-commands.ts')).harvestsShow,
  'harvests errors': async () => (await import('./commands/harvests/harvests-commands.ts')).harvestsErrors,
  'datasets ingest': async () => (await import('./commands/datasets/ingest-datasets.ts')).datasetsIngest,
  'datasets add': async () => (await import('./commands/datasets/datasets-commands.ts')).datasetsAdd,
  'datasets list': async () => (await import('./commands/datasets/datasets-commands.ts')).datasetsList,
  'datasets show': async () => (await import('./commands/datasets/datasets-commands.ts')).datasetsShow,
  'datasets files': async () => (await import('./commands/datasets/datasets-commands.ts')).datasetsFiles,
  'datasets rows': async () => (await import('./commands/datasets/rows-command.ts')).datasetsRows,
  'datasets retry': async () => (await import('./commands/datasets/datasets-commands.ts')).datasetsRetry,
  'datasets entities': async () => (await import('./commands/datasets/entities-commands.ts')).datasetsEntities,
  'datasets requests': async () => (await import('./commands/datasets/entities-commands.ts')).datasetsRequests,
  'artifacts latest': async () => (await import('./commands/artifacts/artifact-commands.ts')).artifactsLatest,
  'artifacts at': async () => (await import('./commands/artifacts/artifact-commands.ts')).artifactsAt,
  'artifacts list': async () => (await import('./commands/artifacts/artifact-commands.ts')).artifactsList,
  'artifacts show': async () => (await import('./commands/artifacts/artifacts-show.ts')).artifactsShow,
  'artifacts cat': async () => (await import('./commands/artifacts/artifact-commands.ts')).artifactsCat,
  'artifacts verify': async () => (await import('./commands/artifacts/artifact-commands.ts')).artifactsVerify,
  'artifacts index': async () => (await import('./commands/artifacts/artifacts-index.ts')).artifactsIndex,
  'organizations add': async () => (await import('./commands/organizations/organization-commands.ts')).organizationsAdd,
  'organizations list': async () =>
    (await import('./commands/organizations/organization-commands.ts')).organizationsList,
  'organizations overview': async () =>
    (await import('./commands/organizations/organizations-overview.ts')).organizationsOverview,
  'organizations show': async () =>
    (await import('./commands/organizations/organization-commands.ts')).organizationsShow,
  'organizations change': async () =>
    (await import('./commands/organizations/organization-commands.ts')).organizationsChange,
  'organizations remove': async () => (await import('./commands/organizations/remove-commands.ts')).organizationsRemove,
  'streams add': async () => (await import('./commands/organizations/stream-commands.ts')).streamsAdd,
  'streams list': async () => (await import('./commands/organizations/stream-commands.ts')).streamsList,
  'streams show': async () => (await import('./commands/organizations/stream-commands.ts')).streamsShow,
  'streams default': async () => (await import('./commands/organizations/stream-commands.ts')).streamsDefault,
  'streams archive': async () => (await import('./commands/organizations/stream-commands.ts')).streamsArchive,
  'streams change': async () => (await import('./commands/organizations/stream-commands.ts')).streamsChange,
  'streams remove': async () => (await import('./commands/organizations/remove-commands.ts')).streamsRemove,
  'streams process-again': async () =>
    (await import('./commands/organizations/streams-process-again.ts')).streamsProcessAgain,
  'streams dump': async () => (await import('./commands/organizations/stream-commands.ts')).streamsDump,
  'streams dumps': async () => (await import('./commands/organizations/stream-commands.ts')).streamsDumps,
  upload: async () => (await import('./commands/uploads/upload-files.ts')).uploadFiles,
  'uploads check': async () => (await import('./commands/uploads/uploads-check.ts')).uploadsCheck,
  'uploads list': async () => (await import('./commands/uploads/upload-commands.ts')).uploadsList,
  'uploads show': async () => (await import('./commands/uploads/upload-commands.ts')).uploadsShow,
  'uploads errors': async () => (await import('./commands/uploads/upload-commands.ts')).uploadsErrors,
  'uploads remove': async () => (await import('./commands/uploads/uploads-remove.ts')).uploadsRemove,
  'uploads retry': async () => (await import('./commands/uploads/upload-commands.ts')).uploadsRetry,
  'page list': async () => (await import('./commands/page-commands.ts')).pageList,
  'page refresh': async () => (await import('./commands/page-commands.ts')).pageRefresh,
  verify: async () => (await import('./commands/verify-set.ts')).verifySet,
  validate: async () => (await import('./commands/validate-source.ts')).validateSource,
  mirror: async () => (await import('./commands/mirror/mirror-source.ts')).mirrorSource,
  'mirror status': async () => (await import('./commands/mirror/mirror-source.ts')).mirrorStatus,
  status: async () => (await import('./commands/status.ts')).status,
  work: async () => (await import('./commands/work.ts')).work,
  'nsdl look': async () => (await import('./commands/nsdl-commands.ts')).nsdlLook,
  'nsdl trigger': async () => (await import('./commands/nsdl-commands.ts')).nsdlTrigger,
  'nsdl status': async () => (await import('./commands/nsdl-commands.ts')).nsdlStatus,
  'jobs list': async () => (await import('./commands/job-commands.ts')).jobsList,
  'jobs show': async () => (await import('./commands/job-commands.ts')).jobsShow,
  'jobs retry': async () => (await import('./commands/job-commands.ts')).jobsRetry,
  'jobs cancel': async () => (await import('./commands/job-commands.ts')).jobsCancel,
  'subscriptions list': async () => (await import('./commands/subscription-commands.ts')).subscriptionsList,
  'subscriptions remove': async () => (await import('./commands/subscription-commands.ts')).subscriptionsRemove,
  'tokens create': async () => (await import('./commands/token-commands.ts')).tokensCreate,
  'tokens list': async () => (await import('./commands/token-commands.ts')).tokensList,
  'tokens revoke': async () => (await import('./commands/token-commands.ts')).tokensRevoke,
  backup: async () => (await import('./commands/backup.ts')).backup,
  backups: async () => (await import('./commands/backups.ts')).backups,
  restore: async () => (await import('./commands/restore.ts')).restore,
  archive: async () => (await import('./commands/archive.ts')).archive,
  grow: async () => (await import('./commands/grow.ts')).grow,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  clock: async () => (await import('./commands/clock.ts')).clock,
  reshard: async () => (await import('./commands/reshard.ts')).reshard,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  init: async () => (await import('./commands/init.ts')).init,
  completion: async () => (await import('./commands/completion.ts')).completion(loadCommands),
};

/**
 * The commands that a command line may name: the one in its first words, else those of the group, else all. None for
 * the version.
 */
export function loadCommands(words: readonly string[]): Promise<readonly CliCommand[]> {
  const [first = '', second = ''] = words;
  if (first === '--version' || first === '-V') return Promise.resolve([]);
  const names = Object.keys(LOADERS);
  const named = names.filter((name) => name === `${first} ${second}`);
  // `mirror` is a command that also has subcommands.
  const grouped = names.filter((name) => name === first || name.startsWith(`${first} `));
  const meant = [named, grouped].find(({ length }) => length > 0) ?? names;
  return Promise.all(meant.map((name) => LOADERS[name]!()));
}

/** Every command, in the order of the help. */
export function allCommands(): Promise<readonly CliCommand[]> {
  return loadCommands([]);
}
