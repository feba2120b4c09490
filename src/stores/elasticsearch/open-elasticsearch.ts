import type { ElasticsearchLocation } from '../../config/configuration.ts';
import { Applier } from './applier.ts';
import { ChangesIndices } from './changes-indices.ts';
import { ClockCheck } from './clock-check.ts';
import { Cluster } from './cluster.ts';
import { CommitLog } from './commit-log.ts';
import { Committer } from './committer.ts';
import { ElasticsearchCatalog } from './elasticsearch-catalog.ts';
import { ElasticsearchIndex } from './elasticsearch-index.ts';
import { ResourceReader } from './resource-reader.ts';
import { IndexNames, prepareIndices, SCHEMA_VERSION } from './schema.ts';
import { StandingReader } from './standing-reader.ts';
import { StoredSets } from './stored-sets.ts';
import { WindowReader } from './window-reader.ts';

interface OpenOptions {
  /** Milliseconds until a request counts as lost; shorter in tests. */
  readonly requestTimeout?: number;
}

/** @throws TidemarkError `unavailable` or `incompatible` */
export async function openElasticsearch(location: ElasticsearchLocation, { requestTimeout }: OpenOptions = {}) {
  const cluster = new Cluster(location, undefined, requestTimeout);
  const names = new IndexNames(location.prefix);
  try {
    await prepareIndices(cluster, names);
  } catch (error) {
    await cluster.close();
    throw error;
  }
  const log = new CommitLog(cluster, names);
  const applier = new Applier(cluster, names, log);
  const catalog = new ElasticsearchCatalog(cluster, names);
  const sets = new StoredSets(catalog);
  // Twenty thousand of them take some hundred milliseconds, which the first request need not wait for.
  sets.load().catch(() => {});
  const standings = new StandingReader(cluster, names, log);
  const resources = new ResourceReader(cluster, names);
  const windows = new WindowReader(cluster, names, standings);
  const changesIndices = new ChangesIndices(cluster, names);
  const clock = new ClockCheck(cluster);
  const changesIndex = () => changesIndices.current();
  const committer = new Committer({ log, applier, sets, standings, clock, changesIndex });
  return {
    index: new ElasticsearchIndex({ cluster, names, log, applier, committer, sets, standings, resources, windows }),
    catalog,
    async close() {
      await applier.close();
      await cluster.close();
    },
  };
}

/** Makes what is missing. There is one schema so far, so there is nothing to take further. */
export async function migrateElasticsearch(
  location: ElasticsearchLocation,
): Promise<{ readonly from: number; readonly to: number }> {
  const cluster = new Cluster(location);
  try {
    await prepareIndices(cluster, new IndexNames(location.prefix));
    return { from: SCHEMA_VERSION, to: SCHEMA_VERSION };
  } finally {
    await cluster.close();
  }
}
