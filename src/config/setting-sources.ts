import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import stripJsonComments from 'strip-json-comments';
import { CONFIGURATION_FILE } from '../lib/glob/exclusions.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { readSecretFile } from './secret-file.ts';
import { fileVariable } from './setting.ts';
import { documentedSettings, SETTING_NAMES, SETTINGS, type SettingName, settingOf } from './settings.ts';

/** Removed settings of earlier versions, by key and variable, with advice. */
const REMOVED = new Map(
  ['processes', 'TIDEMARK_PROCESSES'].map((name) => [
    name,
    'start several servers that share a port (sharePort): see "Several servers" in docs/operating.md',
  ]),
);

/** The sources of settings. */
export interface Surroundings {
  /** The flags of the command line, by setting name; undefined for a flag that was not given. */
  readonly flags: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly workingDirectory: string;
  /** A configuration file in place of tidemark.config.json in the working directory; it must exist then. */
  readonly configurationFile?: string | undefined;
}

/** A value given for a setting, not yet checked. */
interface GivenValue {
  readonly name: SettingName;
  /** Where it was given: a flag, a variable, or a key of the file. */
  readonly from: string;
  readonly value: unknown;
  /** The folder that relative paths are resolved against. */
  readonly folder: string;
}

export interface SettingProblem {
  readonly from: string;
  readonly message: string;
}

export type Given = GivenValue | SettingProblem;

/** All given values, those with precedence first: flags, variables, file. A name that is not a setting is a problem. */
export function givenSettings(surroundings: Surroundings): readonly Given[] {
  return [...fromFlags(surroundings), ...fromEnvironment(surroundings), ...fromFile(surroundings)];
}

export function isProblem(given: Given): given is SettingProblem {
  return 'message' in given;
}

function fromFlags({ flags, workingDirectory }: Surroundings): readonly Given[] {
  return SETTING_NAMES.filter((name) => flags[name] !== undefined).map((name) => ({
    name,
    from: settingOf(name).flag?.split(' ')[0] ?? name,
    value: flags[name],
    folder: workingDirectory,
  }));
}

function fromEnvironment(surroundings: Surroundings): readonly Given[] {
  const { environment, workingDirectory } = surroundings;
  const byVariable = new Map<string, SettingName>(SETTING_NAMES.map((name) => [SETTINGS[name].variable, name]));
  const byFileVariable = new Map(SETTING_NAMES.map((name) => [fileVariable(settingOf(name)), name]));
  return Object.entries(environment)
    .filter(([variable]) => variable.startsWith('TIDEMARK_'))
    .filter(([, value]) => !isLeftOut(value))
    .map(([variable, value]) => {
      const name = byVariable.get(variable);
      if (name !== undefined) return { name, from: variable, value, folder: workingDirectory };
      const secret = byFileVariable.get(variable);
      if (secret !== undefined) return fromSecretFile(secret, variable, surroundings);
      return { from: variable, message: noSetting(variable, documentedVariables()) };
    });
}

/** A secret in the file that a variable such as `TIDEMARK_TOKEN_FILE` names. */
function fromSecretFile(name: SettingName, from: string, { environment, workingDirectory }: Surroundings): Given {
  const { variable } = SETTINGS[name];
  if (!isLeftOut(environment[variable])) return { from, message: `and ${variable} are both set: leave one out` };
  const file = resolve(workingDirectory, environment[from]!);
  const read = readSecretFile(file);
  if ('problem' in read) return { from, message: `names ${file}, ${read.problem}` };
  return { name, from: `${from} (${file})`, value: read.secret, folder: workingDirectory };
}

/** Compose files and unit files leave out a variable by setting it to an empty text. */
function isLeftOut(value: string | undefined): boolean {
  return value === undefined || value === '';
}

function fromFile({ workingDirectory, configurationFile }: Surroundings): readonly Given[] {
  const file = resolve(workingDirectory, configurationFile ?? CONFIGURATION_FILE);
  const body = readConfigurationFile(file, configurationFile !== undefined);
  if (typeof body === 'string') return [{ from: file, message: body }];
  const known = documentedSettings().map(([name]) => name);
  return Object.entries(body).map(([key, value]) => {
    const from = `${basename(file)}: ${key}`;
    const name = known.find((setting) => setting === key);
    if (name !== undefined) return { name, from, value, folder: dirname(file) };
    return { from, message: noSetting(key, known) };
  });
}

/** The object in a file, empty for an optional file that does not exist; or a text with its fault. */
function readConfigurationFile(file: string, required: boolean): object | string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return required ? 'does not exist' : {};
    return code === 'EISDIR' ? 'is a folder' : `cannot be read: ${message}`;
  }
  try {
    const body: unknown = JSON.parse(stripJsonComments(text, { trailingCommas: true }));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
    return 'must be a JSON object, such as {"port": 8080}';
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

function documentedVariables(): string[] {
  return documentedSettings().flatMap(([, setting]) => [setting.variable, fileVariable(setting) ?? []].flat());
}

function noSetting(name: string, known: readonly string[]): string {
  const advice = REMOVED.get(name);
  if (advice !== undefined) return `is not a setting any more: ${advice}`;
  const guess = nearestName(name, known);
  return guess === undefined ? 'is not a setting' : `is not a setting; did you mean ${guess}?`;
}
