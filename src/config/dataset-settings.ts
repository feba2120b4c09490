import { resolve } from 'node:path';
import * as own from './dataset-values.ts';
import { setting, WORKERS } from './setting.ts';
import * as values from './setting-values.ts';

/** Settings of datasets: docs/datasets.md. */
export const DATASET_SETTINGS = {
  datasetNetworks: setting({
    variable: 'TIDEMARK_DATASET_NETWORKS',
    flag: '--dataset-networks <networks>',
    takenBy: WORKERS,
    schema: values.networks,
    default: '(none)',
    absent: [],
    meaning:
      'Private networks from which datasets may be fetched: addresses or CIDR, separated by commas, such as `10.1.0.0/16,127.0.0.1`.',
  }),
  datasetFiles: setting({
    variable: 'TIDEMARK_DATASET_FILES',
    flag: '--dataset-files <number>',
    takenBy: WORKERS,
    schema: values.datasetFiles,
    default: '1000',
    meaning: 'The most files of a dataset that is ingested, from 1 to 10000.',
  }),
  datasetSize: setting({
    variable: 'TIDEMARK_DATASET_SIZE',
    flag: '--dataset-size <size>',
    takenBy: WORKERS,
    schema: values.size,
    default: '128gb',
    meaning: 'The largest dataset that is ingested, with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  datasetWebFiles: setting({
    variable: 'TIDEMARK_DATASET_WEB_FILES',
    flag: '--dataset-web-files <number>',
    takenBy: WORKERS,
    schema: values.datasetFiles,
    default: '20',
    meaning: 'The most files of a dataset that is stored in a web archive; one with more is stored as an item.',
  }),
  datasetWebSize: setting({
    variable: 'TIDEMARK_DATASET_WEB_SIZE',
    flag: '--dataset-web-size <size>',
    takenBy: WORKERS,
    schema: values.size,
    default: '1073741824',
    meaning:
      'The largest dataset that is stored in a web archive, in bytes, or with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  datasetWebFileSize: setting({
    variable: 'TIDEMARK_DATASET_WEB_FILE_SIZE',
    flag: '--dataset-web-file-size <size>',
    takenBy: WORKERS,
    schema: values.size,
    default: '134217728',
    meaning: 'The largest file of such a dataset, in bytes, or with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  datasetFetches: setting({
    variable: 'TIDEMARK_DATASET_FETCHES',
    flag: '--dataset-fetches <number>',
    takenBy: WORKERS,
    schema: values.jobConcurrency,
    default: '4',
    meaning: 'Files of one dataset that are fetched at the same time, from 1 to 12.',
  }),
  platformToken: setting({
    variable: 'TIDEMARK_PLATFORM_TOKEN',
    field: 'platformTokens',
    flag: '--platform-token <host=file>',
    takenBy: WORKERS,
    schema: own.hostFiles,
    locate: own.locateHostFiles,
    default: '(none)',
    absent: [],
    meaning:
      'Files with the tokens of data platforms, each for one host, separated by commas: `datadryad.org=/etc/tidemark/dryad`. A token is sent to its host alone, as a bearer token.',
  }),
  datasetWeb: setting({
    variable: 'TIDEMARK_DATASET_WEB',
    flag: '--dataset-web <url>',
    takenBy: WORKERS,
    schema: values.webUrl,
    default: '(WARC files of its own)',
    meaning: 'A Save Page Now 2 that captures the files of smaller datasets: `https://web.archive.org`.',
  }),
  datasetArchiveorg: setting({
    variable: 'TIDEMARK_DATASET_ARCHIVEORG',
    flag: '--dataset-archiveorg <url>',
    takenBy: WORKERS,
    schema: values.webUrl,
    default: '(items of its own)',
    meaning: 'An IAS3 that gets the files of larger datasets: `https://s3.us.archive.org`.',
  }),
  datasetArchiveorgMetadata: setting({
    variable: 'TIDEMARK_DATASET_ARCHIVEORG_METADATA',
    flag: '--dataset-archiveorg-metadata <url>',
    takenBy: WORKERS,
    schema: values.webUrl,
    default: 'https://archive.org/',
    meaning: 'The host of the metadata and the files of items.',
  }),
  datasetArchiveorgKeys: setting({
    variable: 'TIDEMARK_DATASET_ARCHIVEORG_KEYS',
    flag: '--dataset-archiveorg-keys <file>',
    takenBy: WORKERS,
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(none)',
    meaning: 'A file with the keys for both, as `ACCESS:SECRET`. They are sent to these two hosts alone.',
  }),
  datasetRows: setting({
    variable: 'TIDEMARK_DATASET_ROWS',
    flag: '--dataset-rows <database>',
    takenBy: WORKERS,
    schema: own.datasetRows,
    locate: own.locateRows,
    default: '(datasets.db in the data folder)',
    meaning:
      'The database whose table `ingest_fileset_result` has a row for each request: `sqlite:FILE`, `postgresql://USER@HOST/DATABASE`, or `none`. The password is read from `PGPASSWORD`, or from `~/.pgpass`.',
  }),
  datasetKafka: setting({
    variable: 'TIDEMARK_DATASET_KAFKA',
    flag: '--dataset-kafka <servers>',
    takenBy: WORKERS,
    schema: own.kafkaServers,
    default: '(none)',
    absent: [],
    meaning:
      'Kafka brokers from which requests are read, and to which results are written, as HOST:PORT, separated by commas.',
  }),
  datasetKafkaEnvironment: setting({
    variable: 'TIDEMARK_DATASET_KAFKA_ENVIRONMENT',
    flag: '--dataset-kafka-environment <name>',
    takenBy: WORKERS,
    schema: own.kafkaEnvironment,
    default: 'prod',
    meaning: 'The ENV in the names of topics: `sandcrawler-ENV.ingest-fileset-results`.',
  }),
} as const;
