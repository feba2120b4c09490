import { join } from 'node:path';
import { identifyAgain } from './access/identify.ts';
import { may } from './access/may.ts';
import { Sessions } from './access/sessions.ts';
import { TokenRegistry } from './access/token-registry.ts';
import { requireAllowedRun } from './api/require-allowed-run.ts';
import { ArtifactHealth } from './artifacts/artifact-health.ts';
import { refusingDamaged } from './artifacts/damage.ts';
import { openArtifacts } from './artifacts/open-artifacts.ts';
import { archiveInThread } from './backup/archive-task.ts';
import { requireWhole } from './backup/rebuild-state.ts';
import { ArtifactChecks } from './backup/verify/artifact-checks.ts';
import { verifyArtifacts } from './backup/verify/verify-artifacts.ts';
import { type Configuration, describeStore } from './config/configuration.ts';
import { softwareVersion } from './config/version.ts';
import { TidemarkError } from './core/errors.ts';
import type { ResourceSet, SetId } from './core/resource-set.ts';
import type { ServedApp } from './http/request/served-app.ts';
import { LinkedSets } from './ingest/linked-sets.ts';
import { openPosting } from './ingest/posting.ts';
import { Updater } from './ingest/updater.ts';
import { cancelJob } from './jobs/cancel-job.ts';
import { JOB_DEFINITIONS } from './jobs/job-list.ts';
import type { JobParts } from './jobs/job-parts.ts';
import { JobsOfSets } from './jobs/jobs-of-set.ts';
import { buildDump } from './jobs/kinds/build-dump.ts';
import { keepList } from './jobs/kinds/keep-list.ts';
import { jobOfUpload } from './jobs/kinds/process-upload.ts';
import { jobOfRun } from './jobs/kinds/run-activity.ts';
import { OpenRuns } from './jobs/open-runs.ts';
import { progressOf } from './jobs/progress-of.ts';
import { retryUpload } from './jobs/retry-upload.ts';
import { nextTimes } from './jobs/scheduler.ts';
import { StreamDumpJobs } from './jobs/stream-dump-jobs.ts';
import { UploadEnds } from './jobs/upload-ends.ts';
import { Closers } from './lib/closers.ts';
import { armFailpoint } from './lib/failpoint.ts';
import { makeFolder } from './lib/files/make-folder.ts';
import { PostingLog } from './observe/audit/posting-log.ts';
import { AppMetrics } from './observe/metrics/app-metrics.ts';
import type { ListArchives } from './publish/archives/list-archives.ts';
import type { DocumentPublisher } from './publish/document-publisher.ts';
import { requireBytes } from './publish/dumps/dump-plan.ts';
import type { Dumps } from './publish/dumps/dumps.ts';
import type { Packer } from './publish/dumps/packer.ts';
import { CallbackClient } from './publish/notify/callback-client.ts';
import { ChangeFeeds } from './publish/notify/change-feeds.ts';
import { Deliverer, type DelivererParts } from './publish/notify/deliverer.ts';
import { Subscriptions } from './publish/notify/subscriptions.ts';
import { openPublishing, type Publishing } from './publish/open-publishing.ts';
import { readTurn } from './publish/versions/removals.ts';
import { VersionPruner } from './publish/versions/version-pruner.ts';
import { Versions } from './publish/versions/versions.ts';
import { ActivityRunner } from './records/activities/runs/activity-runner.ts';
import { ActivityRuns } from './records/activities/runs/activity-runs.ts';
import { ResumableUploads } from './records/arrivals/resumable/resumable-uploads.ts';
import type { Upload } from './records/arrivals/upload.ts';
import { Uploads } from './records/arrivals/uploads.ts';
import { StreamDumps } from './records/dumps/stream-dumps.ts';
import { followsDefault } from './records/follows-default.ts';
import { OrganizationRegistry } from './records/organization-registry.ts';
import { EarlyReader } from './records/processing/early-reader.ts';
import { PartlyApplied } from './records/processing/partly-applied.ts';
import { UploadBacklog } from './records/processing/upload-backlog.ts';
import { UploadProcessor } from './records/processing/upload-processor.ts';
import { StreamSets } from './records/stream-sets.ts';
import { SetRegistry } from './sets/set-registry.ts';
import { removeCopies } from './sources/copy-folders.ts';
import { type ContentsParts, locateContents, openRoot } from './sources/open-contents.ts';
import { openServed, openSource, openStreamParts } from './sources/open-source.ts';
import { Comparer } from './sources/records/artifact/comparer.ts';
import { Records } from './sources/records/artifact/records.ts';
import { type SetRoot, SetRoots } from './sources/set-roots.ts';
import type { Source } from './sources/source.ts';
import { PathScans } from './sources/sync/path-scans.ts';
import { sync } from './sources/sync/sync.ts';
import { ActivityMemory } from './stores/activity-memory.ts';
import { jobName } from './stores/job.ts';
import type { JobQueue } from './stores/job-queue.ts';
import { openStores } from './stores/open-stores.ts';
import type { SlowStoreOptions } from './stores/slow-store.ts';

/** The use cases for one configuration; the server needs some of them. The caller that opens it closes it. */
export interface App extends ServedApp, JobParts {
  readonly jobs: JobQueue;
  readonly updater: Updater;
  readonly organizations: OrganizationRegistry;
  readonly uploads: Uploads;
  readonly resumableUploads: ResumableUploads;
  readonly streamDumps: StreamDumps;
  /** Posts to sets whose resources get links by rules. */
  readonly linked: LinkedSets;
  readonly records: Records;
  readonly postingLog: PostingLog;
  readonly dumps: Dumps;
  readonly listArchives: ListArchives;
  readonly versions: Versions;
  readonly versionPruner: VersionPruner;
  /** Sends changes to subscribers, once it is started. */
  readonly deliverer: Deliverer;
  /** Another publisher, which renders each document from the store whatever is kept: to compare with. */
  freshPublisher(): DocumentPublisher;
  /** Resolves when the documents that an earlier process has left are counted. */
  readonly cacheScan: Promise<void>;
  /** Removes what killed processes left in the data folder. */
  removeLeftOver(): Promise<void>;
  /** Removes the copies that sets published which were removed. Returns how many there were. */
  removeCopies(): Promise<number>;
  /** What a set is synced with. @throws TidemarkError `invalid` for a set that others post to */
  sourceOf(set: ResourceSet): Source;
  /** The content root of a set, and what scans remember of it. The same ones until settings of the set change. */
  rootOf(set: ResourceSet): SetRoot;
  /** Closes the content root of a set that was removed, and what scans remember of it. */
  closeRootOf(id: SetId): void;
  /** Finishes what is under way and closes everything, last opened first. */
  close(): Promise<void>;
}

interface OpenAppOptions extends SlowStoreOptions {
  /** Of the same store and artifacts, which has begun already; it is closed with the app. */
  readonly packer?: Packer | undefined;
}

/**
 * @throws TidemarkError `unavailable` or `incompatible` when the store cannot be used
 */
export async function openApp(configuration: Configuration, options: OpenAppOptions = {}): Promise<App> {
  armFailpoint(configuration.failpoint);
  makeFolder(configuration.dataFolder);
  const closers = new Closers();
  try {
    return await openParts(configuration, closers, options);
  } catch (error) {
    // What cannot be closed says less than why it could not be opened.
    await closers.close().catch(() => {});
    throw error;
  }
}

async function openParts(
  configuration: Configuration,
  closers: Closers,
  { packer, onSlow }: OpenAppOptions,
): Promise<App> {
  const { dataFolder } = configuration;
  const metrics = new AppMetrics(configuration.store.kind);
  const stored = await openStored({ configuration, metrics, onSlow }, closers);
  const { catalog, gauge, jobs, index, sets, postingLog, updater, linked, artifacts } = stored;
  const setRoots = new SetRoots(configuration, ({ id, slug }) => {
    const lastRemovals = async () => (await readTurn(catalog, id))?.body;
    return { set: id, artifacts, lastRemovals, onAllKept: () => sets.recordVersions(slug) };
  });
  const contentsParts: ContentsParts = {
    artifacts: configuration.artifacts,
    rootLocationOf: (set) => setRoots.locationOf(set),
  };
  const publishing = openPublishing(
    {
      configuration,
      index,
      catalog,
      sets,
      artifacts,
      packer,
      requests: metrics.requests.shared,
      aroundRender: (render) => metrics.aroundRender(render),
      contentsOf: (set) => locateContents(set, contentsParts),
    },
    closers,
  );
  const { publisher, cache, dumps, listArchives, freshPublisher, cacheScan } = publishing;
  const tokens = new TokenRegistry(catalog);
  const { feeds, subscriptions, deliverer } = openNotifications(
    configuration,
    { ...stored, publishing, tokens },
    closers,
  );
  metrics.notifications.watch({ subscriptions, deliverer });
  const artifactHealth = new ArtifactHealth(artifacts);
  const comparesArtifacts = Number.isFinite(configuration.verifyArtifacts.days);
  const { artifactChecks } = stored;
  metrics.watch({ gauge, sets, cache, publisher, artifactHealth, artifactChecks, comparesArtifacts });
  metrics.jobs.watch(jobs);
  const { rootOf, sourceOf, servedSourceOf, records, pathScans } = openSources(
    configuration,
    { ...stored, setRoots },
    closers,
  );
  const organizations = new OrganizationRegistry(catalog, new StreamSets(sets));
  const threadData = threadDataOf(configuration);
  const { earlyReader, uploadProcessor } = openUploads(configuration, { ...stored, organizations }, closers);
  const uploadEnds = new UploadEnds({ catalog, jobs });
  const onRecorded = (upload: Upload) => jobs.addAll([jobOfUpload(upload)]);
  const app: App = {
    configuration,
    index,
    catalog,
    gauge,
    sets,
    jobs,
    dumpJobs: new JobsOfSets(jobs, buildDump, (set) => requireBytes(set, 'conflict')),
    listJobs: new JobsOfSets(jobs, keepList),
    nextJobs: () => nextTimes({ definitions: JOB_DEFINITIONS, parts: app }, Date.now()),
    artifacts,
    artifactHealth,
    organizations,
    streamDumpJobs: new StreamDumpJobs(jobs),
    streamDumps: new StreamDumps({
      catalog,
      artifacts,
      sets,
      index,
      progressOf: (upload) => progressOf(jobs, jobOfUpload(upload)),
      async followsDefault(organization) {
        // Whether a server keeps it in sync or not.
        const set = await sets.bySlug(organization.id);
        await sync({ set, source: sourceOf(set), updater });
        return followsDefault({ catalog, index, sets }, organization);
      },
      threadData,
    }),
    uploads: new Uploads({
      catalog,
      artifacts,
      organizations,
      earlyReader,
      onRecorded,
    }),
    cancelJob: (name) => cancelJob({ catalog, jobs }, name),
    retryUpload: (upload) => retryUpload({ catalog, jobs, uploadEnds }, upload),
    openRuns: new OpenRuns({ catalog, artifacts, jobs }),
    activityRunner: new ActivityRunner({
      catalog,
      store: artifacts,
      configuration,
      openRoot,
      version: softwareVersion(),
      requireAllowed: (options) => requireAllowedRun(options, configuration.apiRoots),
    }),
    activityRuns: new ActivityRuns({
      catalog,
      artifacts,
      jobNameOf: (run) => jobName(jobOfRun(run)),
      addJob: (run) => jobs.addAll([jobOfRun(run)]),
    }),
    uploadEnds,
    uploadBacklog: new UploadBacklog({ catalog }),
    partlyApplied: new PartlyApplied({ catalog }),
    uploadProcessor,
    resumableUploads: new ResumableUploads({
      catalog,
      artifacts,
      organizations,
      earlyReader,
      onRecorded,
    }),
    tokens,
    sessions: new Sessions(catalog),
    subscriptions,
    deliverer,
    updater,
    linked,
    records,
    publisher,
    feeds,
    freshPublisher,
    dumps,
    listArchives,
    versions: new Versions({ index, artifacts }),
    versionPruner: new VersionPruner({
      catalog,
      sets,
      index,
      artifacts,
      changeDumps: dumps.changes,
      scratchFolder: join(dataFolder, 'spool'),
    }),
    postingLog,
    async receive({ set, sender }, work) {
      const poster = { updater: linked.posterOf(set), servedSourceOf };
      const posting = metrics.index.aroundPosting(await openPosting(set, poster));
      await postingLog.record(posting, sender, work);
    },
    activity: new ActivityMemory(index),
    metrics,
    cacheScan,
    async removeLeftOver() {
      // Each also when the other one fails.
      await Promise.all([cache.removeLeftOver(), app.removeCopies()]);
    },
    removeCopies: () => removeCopies(dataFolder, sets),
    archive: metrics.archive.around((signal) => archiveInThread(configuration, signal)),
    verifyArtifacts: (options) =>
      verifyArtifacts({
        ...configuration.verifyArtifacts,
        ...options,
        catalog,
        sets,
        artifacts: stored.allArtifacts,
        checks: stored.artifactChecks,
      }),
    async scanPaths(set, paths) {
      // Scans of one set run one at a time within a process: see sources/files/file-source.ts.
      if (!configuration.sources) throw keepsNoSources();
      return pathScans.scan(set, paths);
    },
    rootOf,
    closeRootOf: (id) => setRoots.closeOf(id),
    sourceOf,
    servedSourceOf,
    close: () => closers.close(),
  };
  return app;
}

type Stored = Awaited<ReturnType<typeof openStored>>;

/** What is stored, and what changes it. */
async function openStored(
  {
    configuration,
    metrics,
    onSlow,
  }: SlowStoreOptions & {
    readonly configuration: Configuration;
    readonly metrics: AppMetrics;
  },
  closers: Closers,
) {
  const { store, failpoint } = configuration;
  const stores = await openStores(store, { failpoint, observer: metrics.store, onSlow });
  closers.add(() => stores.close());
  const { catalog, gauge, jobs } = stores;
  await requireWhole(catalog, describeStore(store));
  const index = metrics.index.around(stores.index);
  const sets = new SetRegistry(catalog, index);
  const postingLog = new PostingLog(catalog);
  closers.add(() => postingLog.close());
  const updater = new Updater(index);
  closers.add(() => updater.idle());
  const linked = new LinkedSets({ updater, index, catalog });
  const allArtifacts = openArtifacts(configuration.artifacts);
  closers.add(() => allArtifacts.close());
  const artifactChecks = new ArtifactChecks(catalog);
  const artifacts = refusingDamaged(allArtifacts, (key) => artifactChecks.damagedParts(key));
  const comparer = new Comparer(threadDataOf(configuration));
  closers.add(() => comparer.close());
  return {
    catalog,
    gauge,
    jobs,
    index,
    sets,
    postingLog,
    updater,
    linked,
    artifacts,
    allArtifacts,
    artifactChecks,
    comparer,
  };
}

function openNotifications(
  configuration: Configuration,
  parts: Pick<Stored, 'index' | 'catalog' | 'sets'> & {
    readonly publishing: Publishing;
    readonly tokens: TokenRegistry;
  },
  closers: Closers,
) {
  const { index, catalog, sets, publishing, tokens } = parts;
  const { knownDumps, knownArchives, publisher } = publishing;
  const feeds = new ChangeFeeds(index);
  closers.add(() => feeds.close());
  const subscriptions = new Subscriptions(catalog);
  const read = { index, catalog, sets, feeds, dumps: knownDumps, archives: knownArchives, publisher };
  const deliverer = openDeliverer(configuration, { ...read, subscriptions, tokens });
  closers.add(() => deliverer.stop());
  return { feeds, subscriptions, deliverer };
}

/** What sets are synced with. */
function openSources(
  { recordsPollIntervalMs: pollIntervalMs }: Configuration,
  { setRoots, ...stored }: Stored & { readonly setRoots: SetRoots },
  closers: Closers,
) {
  const { catalog, index, sets, artifacts, updater, comparer, linked } = stored;
  closers.add(() => setRoots.close());
  const rootOf: App['rootOf'] = (set) => setRoots.of(set);
  const records = new Records(artifacts, catalog);
  const ofStreams = openStreamParts({ catalog, index, sets });
  closers.add(() => ofStreams.news.close());
  const parts = { ...ofStreams, index, rootOf, artifacts, catalog, updater, comparer, records, pollIntervalMs };
  const sourceOf: App['sourceOf'] = (set) => openSource(set, parts);
  const servedSourceOf: App['servedSourceOf'] = (set) => openServed(set, parts);
  const pathScans = new PathScans((set) => ({ set, source: sourceOf(set), updater: linked.posterOf(set) }));
  return { rootOf, sourceOf, servedSourceOf, records, pathScans };
}

/** What reads the files that organizations deliver. */
function openUploads(
  configuration: Configuration,
  { organizations, ...stored }: Stored & { readonly organizations: OrganizationRegistry },
  closers: Closers,
) {
  const { catalog, index, sets, artifacts, updater } = stored;
  const threadData = threadDataOf(configuration);
  const earlyReader = new EarlyReader({
    catalog,
    organizations,
    sets,
    artifacts,
    threadData,
    isOn: configuration.jobs.run,
  });
  closers.add(() => earlyReader.close());
  const uploadProcessor = new UploadProcessor({
    catalog,
    index,
    sets,
    organizations,
    artifacts,
    updater,
    earlyReader,
    threadData,
    fetch: async (upload, options) => {
      const { fetchUpload } = await import('./records/arrivals/fetch-url.ts');
      const { uploadNetworks: networks, uploadFetchSize: mostBytes } = configuration;
      return fetchUpload(upload, { ...options, artifacts, networks, mostBytes, earlyReader });
    },
  });
  closers.add(() => uploadProcessor.close());
  return { earlyReader, uploadProcessor };
}

function threadDataOf({ store, artifacts, dataFolder, failpoint }: Configuration) {
  return { store, artifacts, folder: join(dataFolder, 'spool'), failpoint };
}

/** One process of a store delivers at a time: any of them may be started. */
function openDeliverer(
  { hub, jobs: { leaseMs }, subscriberNetworks, token: own }: Configuration,
  {
    tokens,
    ...parts
  }: Omit<DelivererParts, 'client' | 'hubClient' | 'hub' | 'leaseMs' | 'mayRead'> & { readonly tokens: TokenRegistry },
): Deliverer {
  return new Deliverer({
    ...parts,
    client: new CallbackClient(subscriberNetworks),
    hubClient: new CallbackClient('all'),
    hub,
    leaseMs,
    mayRead: async (subscriber, set) => {
      const principal = await identifyAgain(subscriber, { own, tokens });
      return principal !== undefined && may(principal, 'read-documents', set);
    },
  });
}

function keepsNoSources(): TidemarkError {
  const message =
    'this server does not scan (--no-sources): send notifications to the server of this source that does, at its own port';
  return new TidemarkError('unavailable', message);
}
