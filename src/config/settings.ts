import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { isS3 } from '../lib/s3/s3-location.ts';
import type { SqliteLocation } from '../stores/locations.ts';
import { isWeb } from './allowed-roots.ts';
import { DATASET_SETTINGS } from './dataset-settings.ts';
import { NSDL_SETTINGS } from './nsdl-settings.ts';
import { RECORD_SETTINGS } from './record-settings.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import { type FieldsOf, SERVERS, type Setting, setting, type Taker, WORKERS } from './setting.ts';
import * as values from './setting-values.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/** All settings, in the order of the reference. */
export const SETTINGS = {
  ...STORE_SETTINGS,
  ...SERVER_SETTINGS,
  archive: setting({
    variable: 'TIDEMARK_ARCHIVE',
    field: 'archiveIntervalMs',
    flag: '--archive <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '(only when `tidemark archive` is run)',
    meaning:
      'How often a job writes what the log has gained into `artifacts`, with `ms`, `s`, `m` or `h`: see `docs/artifacts.md`.',
  }),
  backup: setting({
    variable: 'TIDEMARK_BACKUP',
    field: 'backupSchedule',
    flag: '--backup <cron>',
    takenBy: WORKERS,
    schema: values.cronOrOff,
    default: 'off',
    meaning:
      'When a job copies a store in a file to another file and compares the copy with it, as in crontab, such as `30 2 * * *`, or `off`. The same for all processes of a store. See `docs/operating.md`.',
  }),
  backupTo: setting({
    variable: 'TIDEMARK_BACKUP_TO',
    field: 'backupFolder',
    flag: '--backup-to <folder>',
    takenBy: WORKERS,
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(backups in the data folder)',
    meaning:
      'Where that job keeps backups. On the disk of the store, they are lost with it: name a folder on another one.',
  }),
  keepBackups: setting({
    variable: 'TIDEMARK_KEEP_BACKUPS',
    flag: '--keep-backups <number>',
    takenBy: WORKERS,
    schema: values.backupsKept,
    default: '7',
    meaning:
      'How many of these backups are kept, from 1 to 1000. An older one is removed after a newer one was compared.',
  }),
  jobs: setting({
    variable: 'TIDEMARK_JOBS',
    field: 'runsJobs',
    flag: '--no-jobs',
    takenBy: SERVERS,
    schema: values.yesOrNo,
    default: 'true',
    meaning:
      'With `--no-jobs`, or `false`, the server runs no jobs, and adds none when they are scheduled: run `tidemark work` beside it. See `docs/operating.md`.',
  }),
  concurrency: setting({
    variable: 'TIDEMARK_CONCURRENCY',
    flag: '--concurrency <number>',
    takenBy: WORKERS,
    schema: values.jobConcurrency,
    default: '2',
    meaning: 'Jobs that a process runs at the same time, from 1 to 12.',
  }),
  jobLease: setting({
    variable: 'TIDEMARK_JOB_LEASE',
    field: 'jobLeaseMs',
    flag: '--job-lease <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '30s',
    meaning:
      'How long a process may send no heartbeat until another one runs its job, or scans its sets, with `ms`, `s`, `m` or `h`. The same for all processes of a store.',
  }),
  timeZone: setting({
    variable: 'TIDEMARK_TIME_ZONE',
    flag: '--time-zone <name>',
    takenBy: WORKERS,
    schema: values.timeZone,
    default: 'UTC',
    meaning: 'The time zone of schedules, such as `Europe/Vienna`. The same for all processes of a store.',
  }),
  verifyArtifactsWithin: setting({
    variable: 'TIDEMARK_VERIFY_ARTIFACTS_WITHIN',
    field: 'verifyArtifactsDays',
    flag: '--verify-artifacts-within <days>',
    takenBy: WORKERS,
    schema: values.daysOrNever,
    default: '30',
    meaning:
      'Days within which a job reads all stored artifacts and compares them with their digests, a share every night: from 1 to 365, or `never`. The same for all processes of a store. See `docs/protocol.md`.',
  }),
  verifyArtifactsRate: setting({
    variable: 'TIDEMARK_VERIFY_ARTIFACTS_RATE',
    flag: '--verify-artifacts-rate <size>',
    takenBy: WORKERS,
    schema: values.sizeOrUnlimited,
    default: '50mb',
    meaning: 'Most bytes of artifacts that are read in a second to compare them; or `unlimited`.',
  }),
  token: setting({
    variable: 'TIDEMARK_TOKEN',
    secret: true,
    schema: values.token,
    default: '(none)',
    meaning:
      "The administrator's token: 8 or more characters. It has no flag, because a command line can be read by others.",
  }),
  publicReadOnly: setting({
    variable: 'TIDEMARK_PUBLIC_READ_ONLY',
    flag: '--public-read-only',
    takenBy: SERVERS,
    schema: values.yesOrNo,
    default: 'false',
    meaning: 'Permits listening on a public address without a token; nothing can be posted then.',
  }),
  tokenRequests: setting({
    variable: 'TIDEMARK_TOKEN_REQUESTS',
    flag: '--token-requests <number>',
    takenBy: SERVERS,
    schema: values.countOrUnlimited,
    default: '6000',
    meaning:
      'Most requests in a minute with one token of `tokens create`, unless it has a limit of its own; or `unlimited`.',
  }),
  tokenBody: setting({
    variable: 'TIDEMARK_TOKEN_BODY',
    flag: '--token-body <size>',
    takenBy: SERVERS,
    schema: values.sizeOrUnlimited,
    default: '1gb',
    meaning:
      'Most bytes of request bodies (unpacked) in a minute with one token, unless it has a limit of its own; or `unlimited`.',
  }),
  anonymousRequests: setting({
    variable: 'TIDEMARK_ANONYMOUS_REQUESTS',
    flag: '--anonymous-requests <number>',
    takenBy: SERVERS,
    schema: values.countOrUnlimited,
    default: 'unlimited',
    meaning: 'Most requests in a minute without a token from one address; or `unlimited`.',
  }),
  cacheSize: setting({
    variable: 'TIDEMARK_CACHE_SIZE',
    field: 'cacheBytes',
    flag: '--cache-size <size>',
    takenBy: SERVERS,
    schema: values.size,
    default: '2gb',
    meaning: 'How much of the disk rendered documents may take, with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  idleTimeout: setting({
    variable: 'TIDEMARK_IDLE_TIMEOUT',
    field: 'idleTimeoutMs',
    flag: '--idle-timeout <duration>',
    takenBy: SERVERS,
    schema: values.duration,
    default: '60s',
    meaning:
      'How long a request may send nothing before it is aborted, with `ms`, `s`, `m` or `h`. There is no limit on its whole duration.',
  }),
  ...RECORD_SETTINGS,
  ...NSDL_SETTINGS,
  ...DATASET_SETTINGS,
  folderScanInterval: setting({
    variable: 'TIDEMARK_FOLDER_SCAN_INTERVAL',
    field: 'folderScanIntervalMs',
    flag: '--folder-scan-interval <duration>',
    takenBy: SERVERS,
    schema: values.duration,
    default: '1h',
    meaning:
      'How often each folder is compared as a whole, with `ms`, `s`, `m` or `h`, for changes that the system did not report. Others are noticed within two seconds.',
  }),
  s3PollInterval: setting({
    variable: 'TIDEMARK_S3_POLL_INTERVAL',
    field: 's3PollIntervalMs',
    flag: '--s3-poll-interval <duration>',
    takenBy: SERVERS,
    schema: values.duration,
    default: '5m',
    meaning:
      'How often each bucket is listed, with `ms`, `s`, `m` or `h`. Notifications report changes sooner: see `docs/s3.md`.',
  }),
  s3Timeout: setting({
    variable: 'TIDEMARK_S3_TIMEOUT',
    field: 's3TimeoutMs',
    flag: '--s3-timeout <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '30s',
    meaning: 'How long an S3 server may send nothing before the request is repeated, with `ms`, `s`, `m` or `h`.',
  }),
  logLevel: setting({
    variable: 'TIDEMARK_LOG_LEVEL',
    flag: '--log-level <level>',
    schema: values.logLevel,
    default: '(`info` for `serve`, else `warn`)',
    meaning: 'What is logged on standard error: `silent`, `error`, `warn`, `info` or `debug`.',
  }),
  logFormat: setting({
    variable: 'TIDEMARK_LOG_FORMAT',
    flag: '--log-format <format>',
    takenBy: WORKERS,
    schema: values.logFormat,
    default: 'auto',
    meaning: 'How a line of the log is written: `json`, `text` for people, or `auto`: text on a terminal, else JSON.',
  }),
  accessLog: setting({
    variable: 'TIDEMARK_ACCESS_LOG',
    flag: '--access-log <true|false>',
    takenBy: SERVERS,
    schema: values.yesOrNo,
    default: '(`true` for `serve`, else `false`)',
    meaning:
      'Whether a line is logged for each request: at the level `info` when it changes something or fails, at `debug` when it only reads.',
  }),
  publicMetrics: setting({
    variable: 'TIDEMARK_PUBLIC_METRICS',
    flag: '--public-metrics',
    takenBy: SERVERS,
    schema: values.yesOrNo,
    default: 'false',
    meaning:
      'Lets everybody read `/metrics` and `/api/status`, which otherwise need a token with the scope `metrics` or `administer`.',
  }),
  robots: setting({
    variable: 'TIDEMARK_ROBOTS',
    flag: '--robots <kind>',
    takenBy: SERVERS,
    schema: values.robots,
    default: 'quiet',
    meaning:
      'What `/robots.txt` says: `quiet` names no sitemap, `sitemaps` names that of each public set for search engines, `disallow` keeps robots out. See `docs/links.md`.',
  }),
  hub: setting({
    variable: 'TIDEMARK_HUB',
    flag: '--hub <hub>',
    takenBy: WORKERS,
    schema: values.hub,
    default: 'none',
    meaning:
      'Where programs subscribe to changes: `inside` for the hub of this source, the URL of another hub of WebSub, or `none`. The same for all processes of a store. See `docs/notifications.md`.',
  }),
  subscriberNetworks: setting({
    variable: 'TIDEMARK_SUBSCRIBER_NETWORKS',
    flag: '--subscriber-networks <networks>',
    takenBy: WORKERS,
    schema: values.networks,
    default: '(none)',
    absent: [],
    meaning:
      'Private networks that the hub inside may send to: addresses or CIDR, separated by commas, such as `10.1.0.0/16,127.0.0.1`.',
  }),
  validateNetworks: setting({
    variable: 'TIDEMARK_VALIDATE_NETWORKS',
    flag: '--validate-networks <networks>',
    takenBy: SERVERS,
    schema: values.networks,
    default: '(none)',
    absent: [],
    meaning:
      'Private networks that the page `/validate` may request, for an administrator: addresses or CIDR, separated by commas, such as `10.1.0.0/16,127.0.0.1`.',
  }),
  apiRoots: setting({
    variable: 'TIDEMARK_API_ROOTS',
    flag: '--api-roots <roots>',
    takenBy: WORKERS,
    schema: values.roots,
    default: '(none)',
    absent: [],
    meaning:
      'Folders, buckets (`s3://BUCKET/PREFIX`) and URLs of other sources below which administrators may publish sets, and have activities read files, over HTTP and on the pages, separated by commas. The command line may use all.',
    locate: (roots, folder) => roots.map((root) => (isS3(root) || isWeb(root) ? root : resolve(folder, root))),
  }),
  failpoint: setting({
    variable: 'TIDEMARK_FAILPOINT',
    schema: values.text,
    default: '(none)',
    meaning: 'See lib/failpoint.ts.',
    hidden: true,
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
/** Settings of stores, which load-configuration.ts puts together, are not among these fields. */
export type SettingFields = FieldsOf<Omit<typeof SETTINGS, keyof typeof STORE_SETTINGS>>;
export type SettingValues = { -readonly [Name in SettingName]?: z.output<(typeof SETTINGS)[Name]['schema']> };

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function settingOf(name: SettingName): Setting {
  return SETTINGS[name] as Setting;
}

/** The documented settings. */
export function documentedSettings(): readonly (readonly [SettingName, Setting])[] {
  return SETTING_NAMES.map((name) => [name, settingOf(name)] as const).filter(([, { hidden }]) => !hidden);
}

/** The settings whose flags a command takes. */
export function settingsTakenBy(command: Taker): readonly SettingName[] {
  return SETTING_NAMES.filter((name) => settingOf(name).takenBy?.includes(command));
}

/** The values of all settings but those of stores: what was given, or else the default. */
export function settingFields(given: SettingValues): SettingFields {
  const names = SETTING_NAMES.filter((name) => !(name in STORE_SETTINGS));
  const fields = names.map((name) => {
    const { field = name, schema, default: byDefault, absent } = settingOf(name);
    return [field, given[name] ?? (byDefault.startsWith('(') ? absent : schema.parse(byDefault))];
  });
  return Object.fromEntries(fields) as SettingFields;
}

/** The default file of log and state. */
export function defaultStore(dataFolder: string): SqliteLocation {
  return { kind: 'sqlite', file: join(dataFolder, 'tidemark.db') };
}
