import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { nearestName } from '../domain/nearest-name.ts';
import { documentedSettings, SETTING_NAMES, SETTINGS, type SettingName, settingOf } from './settings.ts';

export const CONFIGURATION_FILE = 'tidemark.config.json';

/** What settings are read from. */
export interface Surroundings {
  /** By setting name, as the command line has them; undefined for a flag that was not given. */
  readonly flags: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly workingDirectory: string;
  /** A configuration file other than tidemark.config.json in the working directory; then it must be there. */
  readonly configurationFile?: string | undefined;
}

/** A value that was given for a setting, before anybody looked at it. */
export interface GivenValue {
  readonly name: SettingName;
  /** Where it was given, in the words of whoever gave it: a flag, a variable, a key of the file. */
  readonly from: string;
  readonly value: unknown;
  /** What relative paths are meant from. */
  readonly folder: string;
}

export interface SettingProblem {
  readonly from: string;
  readonly message: string;
}

/** Every value that was given, the strongest source first: flags, variables, file. What is no setting at all becomes a problem. */
export function givenValues(surroundings: Surroundings, problems: SettingProblem[]): readonly GivenValue[] {
  return [...fromFlags(surroundings), ...fromEnvironment(surroundings, problems), ...fromFile(surroundings, problems)];
}

function fromFlags({ flags, workingDirectory }: Surroundings): readonly GivenValue[] {
  return SETTING_NAMES.filter((name) => flags[name] !== undefined).map((name) => ({
    name,
    from: settingOf(name).flag?.split(' ')[0] ?? name,
    value: flags[name],
    folder: workingDirectory,
  }));
}

function fromEnvironment({ environment, workingDirectory }: Surroundings, problems: SettingProblem[]): GivenValue[] {
  const byVariable = new Map<string, SettingName>(SETTING_NAMES.map((name) => [SETTINGS[name].variable, name]));
  const given: GivenValue[] = [];
  for (const [variable, value] of Object.entries(environment)) {
    // An empty variable is how compose files and unit files leave one out.
    if (!variable.startsWith('TIDEMARK_') || value === undefined || value === '') continue;
    const name = byVariable.get(variable);
    if (name !== undefined) given.push({ name, from: variable, value, folder: workingDirectory });
    else problems.push({ from: variable, message: `is no setting${didYouMean(variable, documentedVariables())}` });
  }
  return given;
}

function fromFile(surroundings: Surroundings, problems: SettingProblem[]): GivenValue[] {
  const file = resolve(surroundings.workingDirectory, surroundings.configurationFile ?? CONFIGURATION_FILE);
  const body = readConfigurationFile(file, surroundings.configurationFile !== undefined, problems);
  const known = documentedSettings().map(([name]) => name);
  const given: GivenValue[] = [];
  for (const [key, value] of Object.entries(body)) {
    const from = `${basename(file)}: ${key}`;
    const name = known.find((setting) => setting === key);
    if (name !== undefined) given.push({ name, from, value, folder: dirname(file) });
    else problems.push({ from, message: `is no setting${didYouMean(key, known)}` });
  }
  return given;
}

function readConfigurationFile(file: string, required: boolean, problems: SettingProblem[]): object {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !required) return {};
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'is a folder' : message;
    problems.push({ from: file, message: reason });
    return {};
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
    problems.push({ from: file, message: 'must be a JSON object, such as {"port": 8080}' });
  } catch (error) {
    problems.push({ from: file, message: `is no JSON: ${(error as Error).message}` });
  }
  return {};
}

function documentedVariables(): string[] {
  return documentedSettings().map(([, { variable }]) => variable);
}

function didYouMean(name: string, known: readonly string[]): string {
  const guess = nearestName(name, known);
  return guess === undefined ? '' : `; did you mean ${guess}?`;
}
