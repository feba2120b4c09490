import { resolve } from 'node:path';
import { ARTIFACTS_USAGE, locateArtifacts } from '../artifacts/open-artifacts.ts';
import { artifacts } from './artifact-location.ts';
import { indexUrl } from './import-location.ts';
import { setting, WORKERS } from './setting.ts';
import * as values from './setting-values.ts';
import * as storeValues from './store-values.ts';

/** Settings of the data folder, the stores, and the indices that are read and written. */
export const STORE_SETTINGS = {
  data: setting({
    variable: 'TIDEMARK_DATA',
    flag: '--data <folder>',
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: './data',
    meaning:
      'Folder of everything that this program keeps: the store (unless `store` says otherwise), rendered documents, the state of scans.',
  }),
  store: setting({
    variable: 'TIDEMARK_STORE',
    flag: '--store <location>',
    secret: true,
    schema: storeValues.store,
    locate: (store, folder) => (store.kind === 'sqlite' ? { ...store, file: resolve(folder, store.file) } : store),
    default: '(sqlite:tidemark.db in the data folder)',
    meaning:
      'Where state and log are kept: `sqlite:PATH`, or the URL of an Elasticsearch server; those of several nodes are separated by commas. As a flag, it takes no password.',
  }),
  artifacts: setting({
    variable: 'TIDEMARK_ARTIFACTS',
    flag: '--artifacts <location>',
    takenBy: WORKERS,
    schema: artifacts,
    locate: locateArtifacts,
    default: '(file:artifacts in the data folder)',
    meaning: `Where artifacts are kept: ${ARTIFACTS_USAGE}. Without credentials.`,
  }),
  storeApiKey: setting({
    variable: 'TIDEMARK_STORE_API_KEY',
    secret: true,
    schema: storeValues.apiKey,
    default: '(none)',
    meaning: 'The API key for Elasticsearch, encoded, in place of a user and a password in `store`. It has no flag.',
  }),
  storeCa: setting({
    variable: 'TIDEMARK_STORE_CA',
    flag: '--store-ca <file>',
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(the authorities that Node knows)',
    meaning: 'PEM file of the authority that signed the certificates of Elasticsearch.',
  }),
  indexPrefix: setting({
    variable: 'TIDEMARK_INDEX_PREFIX',
    flag: '--index-prefix <prefix>',
    schema: storeValues.indexPrefix,
    default: 'omtd-resourcesync',
    meaning: 'What the names of the indices on Elasticsearch begin with.',
  }),
  growTo: setting({
    variable: 'TIDEMARK_GROW_TO',
    secret: true,
    schema: storeValues.store,
    locate: (store, folder) => (store.kind === 'sqlite' ? { ...store, file: resolve(folder, store.file) } : store),
    default: '(none)',
    meaning: 'The store that `grow` moves to, without an argument, as in `store`; it may hold a user and a password.',
  }),
  growApiKey: setting({
    variable: 'TIDEMARK_GROW_API_KEY',
    secret: true,
    schema: storeValues.apiKey,
    default: '(none)',
    meaning: 'The API key for the Elasticsearch that `grow` moves to, encoded. It has no flag.',
  }),
  growCa: setting({
    variable: 'TIDEMARK_GROW_CA',
    flag: '--grow-ca <file>',
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(the authorities that Node knows)',
    meaning: 'PEM file of the authority that signed the certificates of the Elasticsearch that `grow` moves to.',
  }),
  growPrefix: setting({
    variable: 'TIDEMARK_GROW_PREFIX',
    flag: '--grow-prefix <prefix>',
    schema: storeValues.indexPrefix,
    default: 'omtd-resourcesync',
    meaning: 'What the names of the indices begin with on the Elasticsearch that `grow` moves to.',
  }),
  storeShards: setting({
    variable: 'TIDEMARK_STORE_SHARDS',
    flag: '--store-shards <number>',
    schema: storeValues.shards,
    default: '(1)',
    meaning:
      'How many primary shards the index of resources gets, and each index of changes, when a store on Elasticsearch is made. What exists, or an index template of yours, wins; `tidemark reshard` changes it later.',
  }),
  import: setting({
    variable: 'TIDEMARK_IMPORT',
    secret: true,
    schema: indexUrl,
    default: '(none)',
    meaning: 'What `import-index` takes over without an argument: `URL/INDEX`, which may hold a user and a password.',
  }),
  importApiKey: setting({
    variable: 'TIDEMARK_IMPORT_API_KEY',
    secret: true,
    schema: storeValues.apiKey,
    default: '(none)',
    meaning: 'The API key for what `import-index` takes over, encoded. It has no flag.',
  }),
  importCa: setting({
    variable: 'TIDEMARK_IMPORT_CA',
    flag: '--import-ca <file>',
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(the authorities that Node knows)',
    meaning: 'PEM file of the authority that signed the certificates of the servers that `import-index` reads.',
  }),
  into: setting({
    variable: 'TIDEMARK_INTO',
    secret: true,
    schema: indexUrl,
    default: '(none)',
    meaning: 'What `artifacts index` writes into without `--into`: `URL/INDEX`, which may hold a user and a password.',
  }),
  intoApiKey: setting({
    variable: 'TIDEMARK_INTO_API_KEY',
    secret: true,
    schema: storeValues.apiKey,
    default: '(none)',
    meaning: 'The API key for what `artifacts index` writes into, encoded. It has no flag.',
  }),
  intoCa: setting({
    variable: 'TIDEMARK_INTO_CA',
    flag: '--into-ca <file>',
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(the authorities that Node knows)',
    meaning: 'PEM file of the authority that signed the certificates of the servers that `artifacts index` writes to.',
  }),
} as const;
