import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { may } from './access/may.ts';
import { TokenRegistry } from './access/token-registry.ts';
import { openArtifacts } from './artifacts/open-artifacts.ts';
import type { ArchiveThreadData } from './backup/archive.worker.ts';
import { archiveInThread } from './backup/archive-task.ts';
import { requireWhole } from './backup/rebuild-state.ts';
import { type Configuration, describeStore } from './config/configuration.ts';
import { exclusionsOfOwnFiles } from './config/own-files.ts';
import { TidemarkError } from './core/errors.ts';
import type { HashAlgorithm } from './core/hash.ts';
import { traitsOf } from './core/origin.ts';
import type { ResourceSet, SetId } from './core/resource-set.ts';
import type { ServedApp } from './http/request/served-app.ts';
import { LinkedSets } from './ingest/linked-sets.ts';
import { openPosting } from './ingest/posting.ts';
import { Updater } from './ingest/updater.ts';
import { JOB_DEFINITIONS } from './jobs/job-list.ts';
import type { JobParts } from './jobs/job-parts.ts';
import { addDumpJob, latestDumpJob } from './jobs/kinds/build-dump.ts';
import { nextTimes } from './jobs/scheduler.ts';
import { armFailpoint } from './lib/failpoint.ts';
import { makeFolder } from './lib/make-folder.ts';
import { startWorker } from './lib/workers/rpc.ts';
import { PostingLog } from './observe/audit/posting-log.ts';
import { AppMetrics } from './observe/metrics/app-metrics.ts';
import { DumpArchives } from './publish/archives/dump-archives.ts';
import { KeptLists } from './publish/archives/kept-lists.ts';
import { KnownArchives } from './publish/archives/known-archives.ts';
import { ListArchives } from './publish/archives/list-archives.ts';
import { DocumentCache } from './publish/cache/document-cache.ts';
import { FreshDocuments } from './publish/cache/fresh-documents.ts';
import type { RenderThreadData } from './publish/cache/render.worker.ts';
import { Renderer } from './publish/cache/renderer.ts';
import type { DocumentPublisher } from './publish/document-publisher.ts';
import { ChangeDumps } from './publish/dumps/change-dumps.ts';
import { Dumps } from './publish/dumps/dumps.ts';
import { KnownDumps } from './publish/dumps/known-dumps.ts';
import type { PackThreadData } from './publish/dumps/pack.worker.ts';
import { Packer } from './publish/dumps/packer.ts';
import { CallbackClient } from './publish/notify/callback-client.ts';
import { ChangeFeeds } from './publish/notify/change-feeds.ts';
import { Deliverer, type DelivererParts } from './publish/notify/deliverer.ts';
import { Subscriptions } from './publish/notify/subscriptions.ts';
import { Publisher } from './publish/publisher.ts';
import { Versions } from './publish/versions/versions.ts';
import { SetRegistry } from './sets/set-registry.ts';
import type { CompareThreadData } from './sources/artifact/compare.worker.ts';
import { Comparer } from './sources/artifact/comparer.ts';
import { Records } from './sources/artifact/records.ts';
import type { ContentRoot } from './sources/content-root.ts';
import { ScanMemory } from './sources/files/scan-memory.ts';
import { type ContentsParts, locateContents, openRoot, openServed, openSource } from './sources/open.ts';
import type { RootLocation } from './sources/root-location.ts';
import type { Source } from './sources/source.ts';
import { PathScans } from './sources/sync/path-scans.ts';
import { ActivityMemory } from './stores/activity-memory.ts';
import type { JobQueue } from './stores/job-queue.ts';
import { openStores } from './stores/open-stores.ts';

/** A page of 50,000 is many short-lived objects: with less room for them, it takes a fifth longer. */
const RENDER_YOUNG_MB = 24;
/** Of what a comparison makes, nearly nothing is kept: it takes no longer with less room. */
const COMPARE_YOUNG_MB = 6;
/** Of what packing makes, nearly nothing is kept. */
const PACK_YOUNG_MB = 2;

/** The use cases for one configuration; the server needs some of them. The caller that opens it closes it. */
export interface App extends ServedApp, JobParts {
  readonly jobs: JobQueue;
  readonly updater: Updater;
  /** Posts to sets whose resources get links by rules. */
  readonly linked: LinkedSets;
  readonly records: Records;
  readonly postingLog: PostingLog;
  readonly dumps: Dumps;
  readonly listArchives: ListArchives;
  readonly versions: Versions;
  /** Sends changes to subscribers, once it is started. */
  readonly deliverer: Deliverer;
  /** Another publisher, which renders each document from the store whatever is kept: to compare with. */
  freshPublisher(): DocumentPublisher;
  /** Resolves when the documents that an earlier process has left are counted. */
  readonly cacheScan: Promise<void>;
  /** Removes what killed processes left in the data folder. */
  removeLeftOver(): Promise<void>;
  /** What a set is synced with. @throws TidemarkError `invalid` for a set that others post to */
  sourceOf(set: ResourceSet): Source;
  /** The content root of a set, and what scans remember of it. The same ones until settings of the set change. */
  rootOf(set: ResourceSet): { readonly root: ContentRoot; readonly memory: ScanMemory };
  /** Finishes what is under way and closes everything, last opened first. */
  close(): Promise<void>;
}

/** @throws TidemarkError `unavailable` or `incompatible` when the store cannot be used */
export async function openApp(configuration: Configuration): Promise<App> {
  const { store, dataFolder, failpoint, cacheBytes } = configuration;
  armFailpoint(failpoint);
  makeFolder(dataFolder);
  const closers: (() => Promise<void> | void)[] = [];

  const metrics = new AppMetrics(store.kind);
  const stores = await openStores(store, { failpoint, observer: metrics.store });
  closers.push(() => stores.close());
  const { catalog, gauge, jobs } = stores;
  await requireWhole(catalog, describeStore(store)).catch(async (error: unknown) => {
    await stores.close();
    throw error;
  });
  const index = metrics.index.around(stores.index);
  const sets = new SetRegistry(catalog, index);
  const postingLog = new PostingLog(catalog);
  closers.push(() => postingLog.close());
  const updater = new Updater(index);
  closers.push(() => updater.idle());
  const linked = new LinkedSets({ updater, index, catalog });
  const artifacts = openArtifacts(configuration.artifacts);
  closers.push(() => artifacts.close());
  const comparer = new Comparer(() => startCompareThread(configuration));
  closers.push(() => comparer.close());

  const renderer = new Renderer(() =>
    startRenderThread({ store, artifacts: configuration.artifacts, failpoint, requests: metrics.requests.shared }),
  );
  closers.push(() => renderer.close());
  const cache = new DocumentCache({
    folder: join(dataFolder, 'documents'),
    mostBytes: cacheBytes,
    render: metrics.aroundRender((record, making) => renderer.render(record, making)),
  });
  const cacheScan = cache.scan();
  closers.push(() => cacheScan);
  const packer = new Packer(() => startPackThread({ store, artifacts: configuration.artifacts }));
  closers.push(() => packer.close());
  const knownArchives = new KnownArchives(catalog);
  const dumpArchives = new DumpArchives({ catalog, sets, artifacts, known: knownArchives });
  const knownDumps = new KnownDumps(catalog, (set, name) => dumpArchives.packageOf(set, name));
  const { hub } = configuration;
  const published = { index, catalog, sets, renderer, dumps: knownDumps, archives: knownArchives, dumpArchives, hub };
  const publisher = new Publisher({ ...published, cache });
  closers.push(() => publisher.close());
  const feeds = new ChangeFeeds(index);
  closers.push(() => feeds.close());
  const tokens = new TokenRegistry(catalog);
  const subscriptions = new Subscriptions(catalog);
  const deliverer = openDeliverer(configuration, {
    index,
    catalog,
    sets,
    feeds,
    dumps: knownDumps,
    subscriptions,
    tokens,
  });
  closers.push(() => deliverer.stop());
  metrics.notifications.watch({ subscriptions, deliverer });
  metrics.watch({ gauge, sets, cache, publisher });
  metrics.jobs.watch(jobs);

  const memories = new Map<SetId, ScanMemory>();
  const roots = new Map<SetId, { readonly set: ResourceSet; readonly root: ContentRoot }>();
  const memoryOf = (set: ResourceSet): ScanMemory => {
    const known = memories.get(set.id);
    if (known !== undefined) return known;
    const memory = openMemory(dataFolder, set);
    closers.push(() => memory.close());
    memories.set(set.id, memory);
    return memory;
  };
  const versionStoreOf = ({ id, slug }: ResourceSet) => {
    return { set: id, artifacts, onAllKept: () => sets.recordVersions(slug) };
  };
  const rootOf = (set: ResourceSet) => {
    const memory = memoryOf(set);
    const versions = set.keepVersions === true ? versionStoreOf(set) : undefined;
    const known = roots.get(set.id);
    if (known !== undefined && hasSameRoot(known.set, set)) return { root: known.root, memory, versions };
    const root = openRoot(rootLocation(set, traitsOf(set.origin).root!, configuration));
    roots.set(set.id, { set, root });
    return { root, memory, versions };
  };
  const pollIntervalMs = configuration.recordsPollInterval;
  const records = new Records(artifacts, catalog);
  const parts = { index, rootOf, artifacts, catalog, updater, comparer, records, pollIntervalMs };
  const sourceOf: App['sourceOf'] = (set) => openSource(set, parts);
  const servedSourceOf: App['servedSourceOf'] = (set) => openServed(set, parts);
  const contentsParts: ContentsParts = {
    artifacts: configuration.artifacts,
    rootLocationOf: (set, root) => rootLocation(set, root, configuration),
  };
  const pathScans = new PathScans((set) => ({ set, source: sourceOf(set), updater: linked.posterOf(set) }));
  const app: App = {
    configuration,
    index,
    catalog,
    gauge,
    sets,
    jobs,
    dumpJobs: {
      add: (set) => addDumpJob(jobs, set),
      latest: (set) => latestDumpJob(jobs, set),
    },
    nextJobs: () => nextTimes({ definitions: JOB_DEFINITIONS, parts: app }, Date.now()),
    artifacts,
    tokens,
    subscriptions,
    deliverer,
    updater,
    linked,
    records,
    publisher,
    feeds,
    freshPublisher: () => new Publisher({ ...published, cache: new FreshDocuments(index, new KeptLists(artifacts)) }),
    dumps: new Dumps({
      changes: new ChangeDumps({
        ...{ catalog, sets, index, artifacts, packer },
        publishedSet: (slug) => publisher.publishedSet(slug),
        contentsOf: (set) => locateContents(set, contentsParts),
      }),
      ...{ catalog, sets, artifacts, packer, known: knownDumps },
      planDump: (slug) => publisher.planDump(slug),
      archivedPackages: (set) => dumpArchives.packagesOf(set),
      contentsOf: (set) => locateContents(set, contentsParts),
    }),
    listArchives: new ListArchives({
      ...{ catalog, sets, artifacts, known: knownArchives, dumps: dumpArchives },
      planKeeping: (slug) => publisher.planKeeping(slug),
      keepPage: (job, signal) => renderer.keepPage(job, signal),
    }),
    versions: new Versions({ index, artifacts }),
    postingLog,
    async receive({ set, sender }, work) {
      const poster = { updater: linked.posterOf(set), servedSourceOf };
      const posting = metrics.index.aroundPosting(await openPosting(set, poster));
      await postingLog.record(posting, sender, work);
    },
    activity: new ActivityMemory(index),
    metrics,
    cacheScan,
    removeLeftOver: () => cache.removeLeftOver(),
    archive: metrics.archive.around((signal) =>
      archiveInThread((stopped) => startArchiveThread(configuration, stopped), signal),
    ),
    async scanPaths(set, paths) {
      // Scans of one set run one at a time within a process: see sources/files/file-source.ts.
      if (!configuration.sources) throw keepsNoSources();
      return pathScans.scan(set, paths);
    },
    rootOf,
    sourceOf,
    servedSourceOf,
    async close() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        // What cannot be closed must not keep the rest open.
        await Promise.try(close).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
  return app;
}

function rootLocation(
  { origin, exclude, publishHashes, keepVersions }: ResourceSet,
  root: string,
  configuration: Configuration,
): RootLocation {
  const { s3, folderScanInterval: scanInterval, dataFolder } = configuration;
  const ownFiles = exclusionsOfOwnFiles(origin, configuration);
  // Versions are stored under this one.
  const hashes: readonly HashAlgorithm[] = keepVersions === true ? ['sha-256', ...publishHashes] : publishHashes;
  return { root, exclude, ownFiles, hashes, s3, scanInterval, scratchFolder: join(dataFolder, 'spool') };
}

/** One process of a store delivers at a time: any of them may be started. */
function openDeliverer(
  { hub, jobs: { leaseMs }, subscriberNetworks }: Configuration,
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
      const principal = subscriber.kind === 'token' ? await tokens.bearer(subscriber.id) : subscriber;
      return principal !== undefined && may(principal, 'read-documents', set);
    },
  });
}

function keepsNoSources(): TidemarkError {
  const message =
    'this server does not scan (--no-sources): send notifications to the server of this source that does, at its own port';
  return new TidemarkError('unavailable', message);
}

function hasSameRoot(one: ResourceSet, other: ResourceSet): boolean {
  const settings = ({ exclude, publishHashes, keepVersions }: ResourceSet) => [exclude, publishHashes, keepVersions];
  return one === other || isDeepStrictEqual(settings(one), settings(other));
}

function openMemory(dataFolder: string, { id, origin, epoch, epochStart }: ResourceSet): ScanMemory {
  // A store that was restored from a backup knows less than the memory, and so may another store with the same data
  // folder: in a new epoch, and in one that began at another time, every file is compared again.
  return new ScanMemory({
    file: join(dataFolder, 'roots', `${id}.db`),
    root: `${traitsOf(origin).root} in epoch ${epoch} since ${epochStart}`,
  });
}

function startCompareThread({ store, artifacts, dataFolder, failpoint }: Configuration): Worker {
  const folder = join(dataFolder, 'spool');
  const workerData: CompareThreadData = { store, artifacts, folder, failpoint };
  return startWorker('./sources/artifact/compare.worker', import.meta.url, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: COMPARE_YOUNG_MB },
  });
}

function startRenderThread(workerData: RenderThreadData): Worker {
  return startWorker('./publish/cache/render.worker', import.meta.url, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: RENDER_YOUNG_MB },
  });
}

function startPackThread(workerData: PackThreadData): Worker {
  return startWorker('./publish/dumps/pack.worker', import.meta.url, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: PACK_YOUNG_MB },
  });
}

function startArchiveThread({ store, artifacts, failpoint }: Configuration, stopped: SharedArrayBuffer): Worker {
  const workerData: ArchiveThreadData = { store, artifacts, failpoint, stopped };
  return startWorker('./backup/archive.worker', import.meta.url, { workerData });
}
