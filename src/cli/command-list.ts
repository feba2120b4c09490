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
  'sets list': async () => (await import('./commands/sets/sets-list.ts')).setsList,
  'sets show': async () => (await import('./commands/sets/sets-show.ts')).setsShow,
  'sets change': async () => (await import('./commands/sets/sets-change.ts')).setsChange,
  'sets move': async () => (await import('./commands/sets/sets-move.ts')).setsMove,
  'sets renew': async () => (await import('./commands/sets/sets-renew.ts')).setsRenew,
  'sets remove': async () => (await import('./commands/sets/sets-remove.ts')).setsRemove,
  'dumps build': async () => (await import('./commands/dumps/dumps-build.ts')).dumpsBuild,
  'dumps list': async () => (await import('./commands/dumps/dumps-list.ts')).dumpsList,
  'dumps remove': async () => (await import('./commands/dumps/dumps-remove.ts')).dumpsRemove,
  'lists keep': async () => (await import('./commands/lists/lists-keep.ts')).listsKeep,
  'lists list': async () => (await import('./commands/lists/lists-list.ts')).listsList,
  'lists prune': async () => (await import('./commands/lists/lists-prune.ts')).listsPrune,
  'versions list': async () => (await import('./commands/versions/versions-list.ts')).versionsList,
  'versions prune': async () => (await import('./commands/versions/versions-prune.ts')).versionsPrune,
  scan: async () => (await import('./commands/scan-set.ts')).scanSet,
  'changes post': async () => (await import('./commands/changes-post.ts')).changesPost,
  'changes list': async () => (await import('./commands/changes-list.ts')).changesList,
  'changes postings': async () => (await import('./commands/changes-postings.ts')).changesPostings,
  'resources list': async () => (await import('./commands/resources/resources-list.ts')).resourcesList,
  'resources find': async () => (await import('./commands/resources/resources-find.ts')).resourcesFind,
  'import-index': async () => (await import('./commands/import-sets.ts')).importSets,
  'activity run': async () => (await import('./commands/activities/activity-run.ts')).activityRun,
  'activity list': async () => (await import('./commands/activities/activity-list.ts')).activityList,
  'activity show': async () => (await import('./commands/activities/activity-show.ts')).activityShow,
  'activity schedule': async () => (await import('./commands/activities/activity-schedule.ts')).activitySchedule,
  'activity schedules': async () => (await import('./commands/activities/activity-schedules.ts')).activitySchedules,
  'artifacts latest': async () => (await import('./commands/artifacts/artifacts-latest.ts')).artifactsLatest,
  'artifacts at': async () => (await import('./commands/artifacts/artifacts-at.ts')).artifactsAt,
  'artifacts list': async () => (await import('./commands/artifacts/artifacts-list.ts')).artifactsList,
  'artifacts show': async () => (await import('./commands/artifacts/artifacts-show.ts')).artifactsShow,
  'artifacts cat': async () => (await import('./commands/artifacts/artifacts-cat.ts')).artifactsCat,
  'artifacts verify': async () => (await import('./commands/artifacts/artifacts-verify.ts')).artifactsVerify,
  'artifacts index': async () => (await import('./commands/artifacts/artifacts-index.ts')).artifactsIndex,
  'organizations add': async () => (await import('./commands/organizations/organizations-add.ts')).organizationsAdd,
  'organizations list': async () => (await import('./commands/organizations/organizations-list.ts')).organizationsList,
  'organizations show': async () => (await import('./commands/organizations/organizations-show.ts')).organizationsShow,
  'organizations change': async () =>
    (await import('./commands/organizations/organizations-change.ts')).organizationsChange,
  'streams add': async () => (await import('./commands/streams/streams-add.ts')).streamsAdd,
  'streams list': async () => (await import('./commands/streams/streams-list.ts')).streamsList,
  'streams show': async () => (await import('./commands/streams/streams-show.ts')).streamsShow,
  'streams default': async () => (await import('./commands/streams/streams-default.ts')).streamsDefault,
  'streams archive': async () => (await import('./commands/streams/streams-archive.ts')).streamsArchive,
  'streams change': async () => (await import('./commands/streams/streams-change.ts')).streamsChange,
  'streams dump': async () => (await import('./commands/streams/streams-dump.ts')).streamsDump,
  'streams dumps': async () => (await import('./commands/streams/streams-dumps.ts')).streamsDumps,
  upload: async () => (await import('./commands/uploads/upload-files.ts')).uploadFiles,
  'uploads check': async () => (await import('./commands/uploads/uploads-check.ts')).uploadsCheck,
  'uploads list': async () => (await import('./commands/uploads/uploads-list.ts')).uploadsList,
  'uploads show': async () => (await import('./commands/uploads/uploads-show.ts')).uploadsShow,
  'uploads errors': async () => (await import('./commands/uploads/uploads-errors.ts')).uploadsErrors,
  'uploads retry': async () => (await import('./commands/uploads/uploads-retry.ts')).uploadsRetry,
  'page list': async () => (await import('./commands/page-list.ts')).pageList,
  'page refresh': async () => (await import('./commands/page-refresh.ts')).pageRefresh,
  verify: async () => (await import('./commands/verify-set.ts')).verifySet,
  validate: async () => (await import('./commands/validate-source.ts')).validateSource,
  mirror: async () => (await import('./commands/mirror/mirror-source.ts')).mirrorSource,
  'mirror status': async () => (await import('./commands/mirror/mirror-source.ts')).mirrorStatus,
  status: async () => (await import('./commands/status.ts')).status,
  work: async () => (await import('./commands/work.ts')).work,
  'jobs list': async () => (await import('./commands/jobs/jobs-list.ts')).jobsList,
  'jobs show': async () => (await import('./commands/jobs/jobs-show.ts')).jobsShow,
  'jobs retry': async () => (await import('./commands/jobs/jobs-retry.ts')).jobsRetry,
  'jobs cancel': async () => (await import('./commands/jobs/jobs-cancel.ts')).jobsCancel,
  'subscriptions list': async () => (await import('./commands/subscriptions/subscriptions-list.ts')).subscriptionsList,
  'subscriptions remove': async () =>
    (await import('./commands/subscriptions/subscriptions-remove.ts')).subscriptionsRemove,
  'tokens create': async () => (await import('./commands/tokens-create.ts')).tokensCreate,
  'tokens list': async () => (await import('./commands/tokens-list.ts')).tokensList,
  'tokens revoke': async () => (await import('./commands/tokens-revoke.ts')).tokensRevoke,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/restore.ts')).restore,
  archive: async () => (await import('./commands/archive.ts')).archive,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  clock: async () => (await import('./commands/clock.ts')).clock,
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
