import type { ElasticsearchLocation, StoreLocation } from '../stores/locations.ts';
import { certificateProblem } from './certificate-problem.ts';
import type { SettingProblem } from './setting-sources.ts';
import { defaultStore, type SettingName, type SettingValues } from './settings.ts';

export const DEFAULT_PREFIX = 'omtd-resourcesync';
const ONLY_FOR_ELASTICSEARCH = ['storeApiKey', 'storeCa', 'indexPrefix', 'storeShards'] as const;

/** The value of each setting that takes precedence, and where it was given. */
export interface FoundSettings {
  readonly values: SettingValues;
  readonly from: Readonly<Partial<Record<SettingName, string>>>;
}

/** The store, from all of its settings. They must be compatible: see storeProblems. */
export function storeLocation(values: SettingValues, dataFolder: string): StoreLocation {
  const {
    store = defaultStore(dataFolder),
    storeApiKey,
    storeCa: caFile,
    indexPrefix = DEFAULT_PREFIX,
    storeShards,
  } = values;
  if (store.kind === 'sqlite') return store;
  return {
    ...store,
    prefix: indexPrefix,
    ...(storeShards !== undefined && { shards: storeShards }),
    ...(storeApiKey !== undefined && { authorization: `ApiKey ${storeApiKey.reveal()}` }),
    ...(caFile !== undefined && { caFile }),
  } satisfies ElasticsearchLocation;
}

/** The problems between settings of the store that are each valid. */
export function storeProblems(found: FoundSettings): readonly SettingProblem[] {
  const wrong = found.values.store?.kind === 'elasticsearch' ? wrongForElasticsearch(found) : wrongForFile(found);
  return wrong.map(([name, message]) => ({ from: found.from[name] ?? name, message }));
}

type Wrong = readonly [name: SettingName, message: string];

function wrongForFile({ values }: FoundSettings): readonly Wrong[] {
  return ONLY_FOR_ELASTICSEARCH.filter((name) => values[name] !== undefined).map((name) => [
    name,
    'is for a store on Elasticsearch, and the store is a file: set TIDEMARK_STORE to the URL of a server, or leave it out',
  ]);
}

function wrongForElasticsearch({
  values: { store, storeApiKey, storeCa, backup = 'off' },
  from,
}: FoundSettings): readonly Wrong[] {
  const { authorization, nodes } = store as ElasticsearchLocation;
  const wrong: Wrong[] = [];
  if (authorization !== undefined && from.store?.startsWith('--')) {
    wrong.push(['store', 'contains a password, and a command line can be read by others: use TIDEMARK_STORE']);
  }
  if (authorization !== undefined && storeApiKey !== undefined) {
    wrong.push([
      'storeApiKey',
      'is an API key, and TIDEMARK_STORE contains a user and a password: leave out one of them',
    ]);
  }
  if (storeCa !== undefined) {
    const problem = nodes.some((url) => url.startsWith('https:'))
      ? certificateProblem(storeCa)
      : 'is for servers with https://, and TIDEMARK_STORE has none';
    if (problem !== undefined) wrong.push(['storeCa', problem]);
  }
  if (backup !== 'off') {
    wrong.push([
      'backup',
      'is for a store in a file: save a store on Elasticsearch with TIDEMARK_ARCHIVE, or by snapshots of Elasticsearch',
    ]);
  }
  return wrong;
}
