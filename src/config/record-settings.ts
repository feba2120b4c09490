import { setting, WORKERS } from './setting.ts';
import * as values from './setting-values.ts';

/** Settings of activities and uploads. */
export const RECORD_SETTINGS = {
  dropLimit: setting({
    variable: 'TIDEMARK_DROP_LIMIT',
    flag: '--drop-limit <percent>',
    takenBy: WORKERS,
    schema: values.percent,
    default: '30%',
    meaning:
      'Largest permitted drop in the number of records since the previous run; for a full run of a harvest, the largest permitted share of records that it deletes. A run with a larger drop publishes nothing.',
  }),
  dropWarning: setting({
    variable: 'TIDEMARK_DROP_WARNING',
    flag: '--drop-warning <percent>',
    takenBy: WORKERS,
    schema: values.percent,
    default: '15%',
    meaning: 'Largest such drop, or share, without a warning.',
  }),
  recordTimeout: setting({
    variable: 'TIDEMARK_RECORD_TIMEOUT',
    field: 'recordTimeoutMs',
    flag: '--record-timeout <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '10s',
    meaning:
      'How long the transform of an activity may take for one record, with `ms`, `s`, `m` or `h`. A record that takes longer fails, and the run goes on.',
  }),
  recordsPollInterval: setting({
    variable: 'TIDEMARK_RECORDS_POLL_INTERVAL',
    field: 'recordsPollIntervalMs',
    flag: '--records-poll-interval <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '5s',
    meaning:
      'How often to check whether a set of records, or an activity that follows another one, has a newer artifact, with `ms`, `s`, `m` or `h`; each time, the folder of its dates and that of the last one are listed.',
  }),
  deltas: setting({
    variable: 'TIDEMARK_DELTAS',
    flag: '--deltas <cron>',
    takenBy: WORKERS,
    schema: values.cronOrOff,
    default: '0 5 * * *',
    meaning:
      'When deltas of the default streams of all organizations are made, as in crontab, or `off`; an organization may have a schedule of its own, or none. The same for all processes of a store.',
  }),
  fullDumps: setting({
    variable: 'TIDEMARK_FULL_DUMPS',
    flag: '--full-dumps <cron>',
    takenBy: WORKERS,
    schema: values.cronOrOff,
    default: '0 3 1 * *',
    meaning: 'When full dumps of them are made, likewise: of those that have changed since the last one.',
  }),
  uploadNetworks: setting({
    variable: 'TIDEMARK_UPLOAD_NETWORKS',
    flag: '--upload-networks <networks>',
    takenBy: WORKERS,
    schema: values.networks,
    default: '(none)',
    absent: [],
    meaning:
      'Private networks from which files of uploads may be fetched: addresses or CIDR, separated by commas, such as `10.1.0.0/16,127.0.0.1`.',
  }),
  uploadFetchSize: setting({
    variable: 'TIDEMARK_UPLOAD_FETCH_SIZE',
    flag: '--upload-fetch-size <size>',
    takenBy: WORKERS,
    schema: values.size,
    default: '10gb',
    meaning: 'The largest file that is fetched from the URL of an upload, with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  harvestNetworks: setting({
    variable: 'TIDEMARK_HARVEST_NETWORKS',
    flag: '--harvest-networks <networks>',
    takenBy: WORKERS,
    schema: values.networks,
    default: '(none)',
    absent: [],
    meaning:
      'Private networks in which OAI-PMH repositories may be harvested: addresses or CIDR, separated by commas, such as `10.1.0.0/16,127.0.0.1`.',
  }),
  harvestResponseSize: setting({
    variable: 'TIDEMARK_HARVEST_RESPONSE_SIZE',
    flag: '--harvest-response-size <size>',
    takenBy: WORKERS,
    schema: values.size,
    default: '256mb',
    meaning:
      'The largest answer of an OAI-PMH repository that is read, unpacked, with `kb`, `mb`, `gb` or `tb` (1000 each).',
  }),
  harvestRetries: setting({
    variable: 'TIDEMARK_HARVEST_RETRIES',
    flag: '--harvest-retries <number>',
    takenBy: WORKERS,
    schema: values.retries,
    default: '8',
    meaning:
      'How often a request to an OAI-PMH repository is sent again when it fails, from 0 to 100, before the run fails; the pauses grow from half a second to a minute.',
  }),
  uploadFetchRetry: setting({
    variable: 'TIDEMARK_UPLOAD_FETCH_RETRY',
    field: 'uploadFetchRetryMs',
    flag: '--upload-fetch-retry <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '1h',
    meaning:
      'How long the file of an upload by URL is tried again after a failure that may pass, such as `1h` or `90s`; the pauses grow from 10 seconds to 20 minutes.',
  }),
  keepOriginals: setting({
    variable: 'TIDEMARK_KEEP_ORIGINALS',
    field: 'keepOriginalsMs',
    flag: '--keep-originals <age>',
    takenBy: WORKERS,
    schema: values.ageOrForever,
    default: 'forever',
    meaning:
      'How long files of uploads are kept after they were processed, with `h` or `d`, such as `180d`; or `forever`. With an age, files of archived streams are removed each night, however old they are. The same for all processes of a store.',
  }),
  expireStreams: setting({
    variable: 'TIDEMARK_EXPIRE_STREAMS',
    field: 'expireStreamsMs',
    flag: '--expire-streams <age>',
    takenBy: WORKERS,
    schema: values.ageOrNever,
    default: 'never',
    meaning:
      'After which time without an upload and a dump a stream is removed, with `h` or `d`, such as `90d`, if it is neither the default one nor that of a collection; or `never`. The same for all processes of a store.',
  }),
  smtpUrl: setting({
    variable: 'TIDEMARK_SMTP_URL',
    secret: true,
    schema: values.smtpUrl,
    default: '(none: no mail is sent)',
    meaning:
      'The mail server that messages about failed uploads are sent by, such as `smtp://user:password@mail.example.org:587` (STARTTLS) or `smtps://…` (TLS, port 465). It has no flag, because a command line can be read by others.',
  }),
  mailFrom: setting({
    variable: 'TIDEMARK_MAIL_FROM',
    flag: '--mail-from <address>',
    takenBy: WORKERS,
    schema: values.email,
    default: '(the setting `adminEmail`)',
    meaning: 'The sender of these mails.',
  }),
  uploadRetries: setting({
    variable: 'TIDEMARK_UPLOAD_RETRIES',
    flag: '--upload-retries <number>',
    takenBy: WORKERS,
    schema: values.retries,
    default: '3',
    meaning:
      'How often an upload whose processing failed is tried again before it has failed, from 0 to 100; the pauses grow from 5 seconds to a minute. The same for all processes of a store.',
  }),
} as const;
