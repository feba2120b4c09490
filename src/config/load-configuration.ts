import { resolve } from 'node:path';
import { configureArtifacts } from '../artifacts/open-artifacts.ts';
import { TidemarkError } from '../core/errors.ts';
import { defaultArtifacts } from './artifact-location.ts';
import type { Configuration } from './configuration.ts';
import type { ImportSettings } from './import-location.ts';
import { type Given, givenSettings, isProblem, type SettingProblem, type Surroundings } from './setting-sources.ts';
import { type SettingName, type SettingValues, settingOf } from './settings.ts';
import { type FoundSettings, storeLocation, storeProblems } from './store-location.ts';

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The settings that were given, not taken from their defaults. */
  readonly given: ReadonlySet<SettingName>;
  /** For `import-index`. */
  readonly importing: ImportSettings;
  /** For `artifacts index`. */
  readonly indexing: ImportSettings;
}

const DEFAULT_PORT = 8080;
const DEFAULT_TOKEN_REQUESTS = 6000;
const DEFAULT_TOKEN_BODY = 1024 ** 3;
const DEFAULT_CACHE_BYTES = 2 * 1024 ** 3;
const DEFAULT_UPLOAD_FETCH_SIZE = 10 * 1024 ** 3;
const DEFAULT_UPLOAD_RETRIES = 3;
const DEFAULT_IDLE_TIMEOUT = 60_000;
const DEFAULT_DROP_LIMIT = 0.3;
const DEFAULT_DROP_WARNING = 0.15;
const DEFAULT_RECORD_TIMEOUT = 10_000;
const DEFAULT_S3_TIMEOUT = 30_000;
const DEFAULT_RECORDS_POLL_INTERVAL = 5_000;
const DEFAULT_S3_POLL_INTERVAL = 300_000;
const DEFAULT_FOLDER_SCAN_INTERVAL = 3_600_000;
const DEFAULT_JOB_CONCURRENCY = 2;
const DEFAULT_JOB_LEASE = 30_000;

/**
 * Reads every setting: flags, then `TIDEMARK_*` variables, then tidemark.config.json; an earlier one takes precedence.
 * @param quiet whether to log only warnings, when no log level is set
 * @throws TidemarkError `invalid` that names every wrong setting, including overridden ones; `details.problems`
 *   contains them as `{from, message}`
 */
export function loadConfiguration(surroundings: Surroundings, quiet = false): LoadedConfiguration {
  const values = fittingValues(givenSettings(surroundings));
  const dataFolder = values.data ?? resolve(surroundings.workingDirectory, 'data');
  const port = values.port ?? DEFAULT_PORT;
  const s3TimeoutMs = values.s3Timeout ?? DEFAULT_S3_TIMEOUT;
  const { workingDirectory, configurationFile: file } = surroundings;
  const configuration: Configuration = {
    file: file === undefined ? undefined : resolve(workingDirectory, file),
    store: storeLocation(values, dataFolder),
    artifacts: configureArtifacts(values.artifacts ?? defaultArtifacts(dataFolder), { s3TimeoutMs }),
    archiveIntervalMs: values.archive,
    dataFolder,
    baseUrl: values.baseUrl ?? localBaseUrl(port),
    host: values.host ?? '127.0.0.1',
    port,
    sharePort: values.sharePort ?? false,
    ownPort: values.ownPort,
    sources: values.sources ?? true,
    jobs: {
      run: values.jobs ?? true,
      concurrency: values.concurrency ?? DEFAULT_JOB_CONCURRENCY,
      leaseMs: values.jobLease ?? DEFAULT_JOB_LEASE,
    },
    timeZone: values.timeZone ?? 'UTC',
    token: values.token,
    publicReadOnly: values.publicReadOnly ?? false,
    limits: {
      tokenRequests: values.tokenRequests ?? DEFAULT_TOKEN_REQUESTS,
      tokenBody: values.tokenBody ?? DEFAULT_TOKEN_BODY,
      anonymousRequests: values.anonymousRequests ?? Number.POSITIVE_INFINITY,
    },
    cacheBytes: values.cacheSize ?? DEFAULT_CACHE_BYTES,
    idleTimeoutMs: values.idleTimeout ?? DEFAULT_IDLE_TIMEOUT,
    drop: {
      stop: values.dropLimit ?? DEFAULT_DROP_LIMIT,
      warn: values.dropWarning ?? DEFAULT_DROP_WARNING,
    },
    s3: {
      timeoutMs: s3TimeoutMs,
      pollIntervalMs: values.s3PollInterval ?? DEFAULT_S3_POLL_INTERVAL,
    },
    recordTimeoutMs: values.recordTimeout ?? DEFAULT_RECORD_TIMEOUT,
    folderScanIntervalMs: values.folderScanInterval ?? DEFAULT_FOLDER_SCAN_INTERVAL,
    recordsPollIntervalMs: values.recordsPollInterval ?? DEFAULT_RECORDS_POLL_INTERVAL,
    publicMetrics: values.publicMetrics ?? false,
    robots: values.robots ?? 'quiet',
    hub: values.hub ?? { kind: 'none' },
    subscriberNetworks: values.subscriberNetworks ?? [],
    validateNetworks: values.validateNetworks ?? [],
    uploadNetworks: values.uploadNetworks ?? [],
    uploadFetchSize: values.uploadFetchSize ?? DEFAULT_UPLOAD_FETCH_SIZE,
    uploadRetries: values.uploadRetries ?? DEFAULT_UPLOAD_RETRIES,
    apiRoots: values.apiRoots ?? [],
    accessLog: values.accessLog ?? !quiet,
    logFormat: values.logFormat ?? 'auto',
    logLevel: values.logLevel ?? (quiet ? 'warn' : 'info'),
    failpoint: values.failpoint,
  };
  return {
    configuration,
    given: new Set(Object.keys(values) as SettingName[]),
    importing: { from: values.import, apiKey: values.importApiKey, caFile: values.importCa },
    indexing: { from: values.into, apiKey: values.intoApiKey, caFile: values.intoCa },
  };
}

/** The default base URL of a source. */
export function localBaseUrl(port: number): string {
  return `http://localhost:${port}`;
}

/** The value of each setting that takes precedence. Whether values are compatible is checked when each is valid. */
function fittingValues(given: readonly Given[]): SettingValues {
  const found = checkedValues(given);
  const problems = storeProblems(found);
  if (problems.length > 0) throw wrongSettings(problems);
  return found.values;
}

function checkedValues(given: readonly Given[]): FoundSettings {
  const values: Partial<Record<SettingName, unknown>> = {};
  const sources: Partial<Record<SettingName, string>> = {};
  const problems: SettingProblem[] = [];
  for (const one of given) {
    if (isProblem(one)) {
      problems.push(one);
      continue;
    }
    const { name, from, value, folder } = one;
    const { schema, locate } = settingOf(name);
    const { success, data, error } = schema.safeParse(value);
    if (!success) problems.push(...error.issues.map(({ message }) => ({ from, message })));
    else if (!(name in values)) {
      values[name] = locate === undefined ? data : locate(data, folder);
      sources[name] = from;
    }
  }
  if (problems.length > 0) throw wrongSettings(problems);
  return { values: values as SettingValues, from: sources };
}

function wrongSettings(problems: readonly SettingProblem[]): TidemarkError {
  const lines = problems.map(({ from, message }) => `${from} ${message}`);
  const message =
    lines.length === 1
      ? `a setting is wrong: ${lines[0]}`
      : `${lines.length} settings are wrong:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new TidemarkError('invalid', message, { problems });
}
