import { Cluster, type ClusterOptions } from '../../lib/elasticsearch/cluster.ts';
import { Overload } from '../../lib/elasticsearch/overload.ts';
import type { ElasticsearchLocation } from '../locations.ts';
import { joinPorts } from '../resource-index.ts';
import type { SlowStoreOptions } from '../slow-store.ts';
import { hideRemovedSets } from './alias-of-all.ts';
import { Applier } from './applier.ts';
import { ClockCheck } from './clock-check.ts';
import { CommitLog } from './commit-log.ts';
import { CurrentStateReader } from './current-state-reader.ts';
import { ElasticsearchCatalog } from './elasticsearch-catalog.ts';
import { ElasticsearchChangeLog } from './elasticsearch-change-log.ts';
import { Committer } from './elasticsearch-committer.ts';
import { ElasticsearchFence } from './elasticsearch-fence.ts';
import { ElasticsearchGauge } from './elasticsearch-gauge.ts';
import { ElasticsearchJobs } from './elasticsearch-jobs.ts';
import { ElasticsearchStates } from './elasticsearch-states.ts';
import { ElasticsearchStatistics } from './elasticsearch-statistics.ts';
import { WriteBlock } from './fence/write-block.ts';
import { IndexNames } from './index-names.ts';
import { hasIndices, migrateIndices, prepareIndices, SCHEMA_VERSION } from './index-schema.ts';
import { IndicesIdentity } from './indices-identity.ts';
import { ChangeReader } from './search/change-reader.ts';
import { KeyFinder } from './search/elasticsearch-key-finder.ts';
import { ResourceReader } from './search/resource-reader.ts';
import { WindowReader } from './search/window-reader.ts';
import { CommitDropper } from './segments/commit-dropper.ts';
import { LogSegments, type SegmentLimits } from './segments/log-segments.ts';
import { ChangesIndices } from './shards/changes-indices.ts';
import { Reshard, type Resharded, type ReshardOptions } from './shards/reshard.ts';
import { StoredSets } from './stored-sets.ts';
import { Visibility } from './visibility.ts';

interface TestedLimits {
  /** Smaller in tests. */
  readonly segmentLimits?: Partial<SegmentLimits> | undefined;
}

/** @throws TidemarkError `unavailable` or `incompatible` */
export async function openElasticsearch(
  location: ElasticsearchLocation,
  { segmentLimits, ...options }: ClusterOptions & SlowStoreOptions & TestedLimits = {},
) {
  const cluster = new Cluster(location, undefined, options);
  const names = new IndexNames(location.prefix);
  const identity = new IndicesIdentity(cluster, names);
  try {
    await prepareIndices(cluster, names, location.shards);
    await identity.require();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  const log = new CommitLog({ cluster, names, identity });
  const currentStates = new CurrentStateReader(cluster, names, log);
  const { observer = {}, onSlow } = options;
  const applier = new Applier({ cluster, names, log, currentStates, identity, observer, onSlow });
  const changesIndices = new ChangesIndices(cluster, names);
  const changesIndex = () => changesIndices.current();
  const fence = new ElasticsearchFence({ log, applier, block: new WriteBlock(cluster, names), changesIndex });
  const catalog = new ElasticsearchCatalog(cluster, names, (write) => fence.around(write));
  const sets = new StoredSets(catalog);
  // Twenty thousand sets take some hundred milliseconds: the first request need not wait for them.
  sets.load().catch(() => {});
  const resources = new ResourceReader(cluster, names);
  const windows = new WindowReader(cluster, names, currentStates);
  const clock = new ClockCheck(cluster);
  const segments = new LogSegments({ cluster, names, log, identity, applier, changesIndex }, segmentLimits);
  const overload = new Overload(onSlow);
  const deciding = { sets, currentStates, clock, catalog, changesIndex };
  const committer = new Committer({ log, applier, segments, overload, ...deciding });
  const isPatient = onSlow !== undefined;
  const visibility = new Visibility({ cluster, names, log, identity, applier, sets, isPatient });
  const changes = new ChangeReader(cluster, names);
  const finder = new KeyFinder({ cluster, names, resources });
  const dropper = new CommitDropper({ cluster, names, identity });
  const shared = { cluster, names, visibility, currentStates, resources, changes };
  const index = joinPorts({
    log: new ElasticsearchChangeLog({ ...shared, committer, dropper }),
    states: new ElasticsearchStates({ ...shared, finder }),
    statistics: new ElasticsearchStatistics({ ...shared, sets, windows }),
  });
  return {
    index,
    catalog,
    jobs: new ElasticsearchJobs(cluster, names, (write) => fence.around(write)),
    fence,
    gauge: new ElasticsearchGauge({ cluster, names, log, applier }),
    async close() {
      overload.close();
      await applier.close();
      await cluster.close();
    },
  };
}

/** Whether there are indices of this location. @throws TidemarkError `unavailable` or `incompatible` */
export async function elasticsearchExists(location: ElasticsearchLocation): Promise<boolean> {
  const cluster = new Cluster(location);
  try {
    return await hasIndices(cluster, new IndexNames(location.prefix));
  } finally {
    await cluster.close();
  }
}

/** Migrates the indices to the schema of this version, and creates missing ones. */
export async function migrateElasticsearch(
  location: ElasticsearchLocation,
): Promise<{ readonly from: number; readonly to: number }> {
  const cluster = new Cluster(location);
  const names = new IndexNames(location.prefix);
  try {
    const from = await migrateIndices(cluster, names);
    await prepareIndices(cluster, names, location.shards);
    await hideRemovedSets({ cluster, names, catalog: new ElasticsearchCatalog(cluster, names) });
    return { from, to: SCHEMA_VERSION };
  } finally {
    await cluster.close();
  }
}

/** Copies the index of resources into one with another number of shards. @throws TidemarkError as `Reshard` */
export async function reshardElasticsearch(
  location: ElasticsearchLocation,
  shards: number,
  options: ReshardOptions,
): Promise<Resharded> {
  const cluster = new Cluster(location);
  const names = new IndexNames(location.prefix);
  try {
    await prepareIndices(cluster, names, location.shards);
    return await new Reshard({ cluster, names, catalog: new ElasticsearchCatalog(cluster, names) }, options).to(shards);
  } finally {
    await cluster.close();
  }
}
