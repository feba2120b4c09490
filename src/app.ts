import { openAccess } from './access/open-access.ts';
import { revokeTokensOf } from './access/revoke-tokens.ts';
import { requireAllowedRun } from './api/require-allowed-run.ts';
import { ArtifactHealth } from './artifacts/artifact-health.ts';
import { refusingDamaged } from './artifacts/damage.ts';
import { openArtifacts } from './artifacts/open-artifacts.ts';
import { type Backup, openBackup } from './backup/open-backup.ts';
import { requireWhole } from './backup/rebuild-state.ts';
import { ArtifactChecks } from './backup/verify/artifact-checks.ts';
import type { Configuration } from './config/configuration.ts';
import { softwareVersion } from './config/version.ts';
import { hasDump, type ResourceSet } from './core/resource-set.ts';
import { type OpenDatasets, openDatasets } from './datasets/open-datasets.ts';
import type { ServedApp } from './http/request/served-app.ts';
import { LinkedSets } from './ingest/linked-sets.ts';
import { Updater } from './ingest/updater.ts';
import type { JobParts } from './jobs/job-parts.ts';
import { type Jobs, openJobs } from './jobs/open-jobs.ts';
import { Closers } from './lib/calls/closers.ts';
import { withTimeout } from './lib/calls/with-timeout.ts';
import { armFailpoint } from './lib/failpoint.ts';
import { makeFolder } from './lib/files/make-folder.ts';
import { openNsdl } from './nsdl/nsdl.ts';
import { openRepositories } from './oai/open-repositories.ts';
import { openPostings } from './observe/audit/open-postings.ts';
import { AppMetrics } from './observe/metrics/app-metrics.ts';
import type { Packer } from './publish/dumps/packer.ts';
import { openNotifications } from './publish/notify/open-notifications.ts';
import { openPublishing } from './publish/open-publishing.ts';
import { readReservation } from './publish/versions/removals.ts';
import type { RunOptionsGiven } from './records/activities/run-request.ts';
import { openRecords } from './records/open-records.ts';
import { SetRegistry } from './sets/set-registry.ts';
import { openRoot } from './sources/open-contents.ts';
import { openSources } from './sources/open-source.ts';
import { openScanners, type Scanners } from './sources/scanners/open-scanners.ts';
import { sync } from './sources/sync/sync.ts';
import { ActivityMemory } from './stores/activity-memory.ts';
import { describeStore } from './stores/locations.ts';
import { openStores } from './stores/open-stores.ts';
import type { SlowStoreOptions } from './stores/slow-store.ts';
import { requireNotMoved, type StoreFence } from './stores/store-fence.ts';

/** Milliseconds at the end for events that wait to be committed. A store that is too busy may take none of them. */
const IDLE_TIMEOUT_MS = 20_000;

/** The use cases for one configuration; the server needs some of them. The caller that opens it closes it. */
export interface App extends ServedApp, JobParts {
  readonly backup: Backup;
  readonly jobs: Jobs;
  readonly datasets: OpenDatasets;
  readonly updater: Updater;
  readonly scanners: Scanners;
  readonly fence: StoreFence;
  /** Posts to sets whose resources get links by rules. */
  readonly linked: LinkedSets;
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
  const metrics = new AppMetrics(configuration.store.kind);
  const { queue, gauge, allArtifacts, artifactChecks, ...opened } = await openStored(
    { configuration, metrics, onSlow },
    closers,
  );
  const stored = { ...opened, configuration };
  const { catalog, index, artifacts, updater, linked } = stored;
  const posterOf = (set: ResourceSet) => linked.posterOf(set);

  const access = openAccess(catalog, configuration, closers);
  const lastRemovals = async (set: ResourceSet['id']) => (await readReservation(catalog, set))?.body;
  const sources = openSources({ ...stored, lastRemovals }, closers);
  const scanners = openScanners({ ...stored, sourceOf: sources.sourceOf, posterOf });
  const { servedSourceOf, contentsOf } = sources;
  const aroundPosting = metrics.index.aroundPosting.bind(metrics.index);
  const postings = openPostings({ catalog, posterOf, servedSourceOf, aroundPosting }, closers);
  // Before the log of postings is closed, which then contains all of them.
  closers.add(() => withTimeout(updater.idle(), IDLE_TIMEOUT_MS, () => {}));
  const aroundRender = metrics.aroundRender.bind(metrics);
  const publishing = openPublishing(
    { ...stored, packer, requests: metrics.requests.shared, aroundRender, contentsOf },
    closers,
  );
  const notifications = openNotifications({ ...stored, publishing, mayStill: access.mayStill }, closers);
  const jobs = openJobs({ catalog, queue, artifacts, parts: () => app });
  const syncSet = (set: ResourceSet, options: { readonly rehash?: boolean } = {}) =>
    sync({ set, source: sources.sourceOf(set), updater, ...options });
  const syncFolders = (set: ResourceSet, under: readonly string[]) =>
    sync({ set, source: sources.sourceOf(set), updater: posterOf(set), under });
  const replacePackages = async ({ slug }: ResourceSet) => {
    const set = await stored.sets.bySlug(slug);
    // Also without a dump: the first one may be under way.
    await publishing.dumps.remove(slug);
    if (hasDump(set) || set.dumpSchedule !== undefined) await jobs.dumps.add(set);
  };
  const requireAllowed = (run: RunOptionsGiven) => requireAllowedRun(run, configuration.apiRoots);
  const version = softwareVersion();
  const records = openRecords(
    {
      ...{ ...stored, jobs, openRoot, version, requireAllowed, syncSet, replacePackages, around: () => app.nsdl },
      revokeTokens: (organization) => revokeTokensOf(access.tokens, organization),
    },
    closers,
  );
  const aroundArchive = metrics.archive.around.bind(metrics.archive);
  const datasets = openDatasets({ ...stored, jobs: jobs.datasets, syncFolders }, closers);
  const aroundBackup = metrics.backups.around.bind(metrics.backups);
  const backup = openBackup({
    ...{ ...stored, queue, artifacts: allArtifacts, checks: artifactChecks },
    ...{ aroundArchive, aroundBackup },
  });
  const { adminEmail } = configuration;
  const oai = openRepositories({ ...stored, records: sources.records, adminEmail, source: () => stored.sets.source() });
  const app: App = {
    ...stored,
    gauge,
    artifactHealth: new ArtifactHealth(artifacts),
    activity: new ActivityMemory(index),
    metrics,
    access,
    backup,
    datasets,
    jobs,
    notifications,
    nsdl: openNsdl({ ...stored, records, queue }),
    oai,
    postings,
    publishing,
    records,
    sources,
    scanners,
    close: () => closers.close(),
  };
  metrics.watch({ ...app, artifactChecks });
  return app;
}

interface StoredParts extends SlowStoreOptions {
  readonly configuration: Configuration;
  readonly metrics: AppMetrics;
}

/** What is stored, and what changes it. */
async function openStored({ configuration, metrics, onSlow }: StoredParts, closers: Closers) {
  const { store, failpoint, artifacts: artifactLocation } = configuration;
  const stores = await openStores(store, { failpoint, observer: metrics.store, onSlow });
  closers.add(() => stores.close());
  const { catalog, gauge, fence, jobs: queue } = stores;
  await requireNotMoved(fence);
  await requireWhole(catalog, describeStore(store));
  const index = metrics.index.around(stores.index);
  const sets = new SetRegistry(catalog, index);
  const updater = new Updater(index);
  const linked = new LinkedSets({ updater, index, catalog });
  const allArtifacts = openArtifacts(artifactLocation);
  closers.add(() => allArtifacts.close());
  const artifactChecks = new ArtifactChecks(catalog);
  const artifacts = refusingDamaged(allArtifacts, (key) => artifactChecks.damagedParts(key));
  return { catalog, gauge, fence, queue, index, sets, updater, linked, artifacts, allArtifacts, artifactChecks };
}
