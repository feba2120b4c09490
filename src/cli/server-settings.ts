import type { SettingName } from '../config/settings.ts';

/** The settings of a command that serves. */
export const SERVER_SETTINGS: readonly SettingName[] = [
  'port',
  'host',
  'sharePort',
  'ownPort',
  'baseUrl',
  'publicReadOnly',
  'tokenRequests',
  'tokenBody',
  'anonymousRequests',
  'cacheSize',
  'idleTimeout',
  'artifacts',
  'archive',
  'jobs',
  'concurrency',
  'jobLease',
  'timeZone',
  'recordsPollInterval',
  'folderScanInterval',
  's3PollInterval',
  's3Timeout',
  'accessLog',
  'publicMetrics',
  'validateNetworks',
];
