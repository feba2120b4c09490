import { join, resolve } from 'node:path';
import { configureArtifacts } from '../artifacts/open-artifacts.ts';
import { TidemarkError } from '../core/errors.ts';
import { defaultArtifacts } from './artifact-location.ts';
import type { Configuration } from './configuration.ts';
import type { GrowSettings } from './grow-location.ts';
import type { ImportSettings } from './import-location.ts';
import { type Given, givenSettings, isProblem, type SettingProblem, type Surroundings } from './setting-sources.ts';
import { type SettingName, type SettingValues, settingFields, settingOf } from './settings.ts';
import { type FoundSettings, storeLocation, storeProblems } from './store-location.ts';

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The settings that were given, not taken from their defaults. */
  readonly given: ReadonlySet<SettingName>;
  /** For `import-index`. */
  readonly importing: ImportSettings;
  /** For `grow`. */
  readonly growing: GrowSettings;
  /** For `artifacts index`. */
  readonly indexing: ImportSettings;
}

const DEFAULT_PORT = 8080;

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
  const { workingDirectory, configurationFile: file } = surroundings;
  const fields = settingFields(values);
  const configuration: Configuration = {
    ...fields,
    file: file === undefined ? undefined : resolve(workingDirectory, file),
    store: storeLocation(values, dataFolder),
    artifacts: configureArtifacts(values.artifacts ?? defaultArtifacts(dataFolder), fields),
    dataFolder,
    backupFolder: values.backupTo ?? join(dataFolder, 'backups'),
    baseUrl: values.baseUrl ?? localBaseUrl(port),
    port,
    accessLog: values.accessLog ?? !quiet,
    logLevel: values.logLevel ?? (quiet ? 'warn' : 'info'),
  };
  return {
    configuration,
    given: new Set(Object.keys(values) as SettingName[]),
    importing: { from: values.import, apiKey: values.importApiKey, caFile: values.importCa },
    growing: { to: values.growTo, apiKey: values.growApiKey, caFile: values.growCa, prefix: values.growPrefix },
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
