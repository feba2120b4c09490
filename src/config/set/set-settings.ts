import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { withField } from '../../core/errors.ts';
import { HASH_ALGORITHMS } from '../../core/hash.ts';
import { MOST_LINK_RULES } from '../../core/link-rule.ts';
import type { Origin } from '../../core/origin.ts';
import {
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_WINDOW_CHANGES,
  MAX_ENTRIES,
  MAX_TITLE_LENGTH,
  type ResourceSet,
  type SetFields,
} from '../../core/resource-set.ts';
import { requireFewPatterns, requireKnownClasses } from '../../lib/glob/exclusions.ts';
import { DUMP_SETTINGS } from './dump-settings.ts';
import { FROM_SETTINGS } from './from-settings.ts';
import { RECORDS_SETTING } from './records-setting.ts';
import { ROOT_SETTING } from './root-setting.ts';
import {
  ADD,
  ADD_AND_CHANGE,
  ALL,
  checkLinkRules,
  checkPublishedHashes,
  numberOf,
  one,
  PRIVACY,
  presignedSeconds,
  REDIRECT_FLAGS,
  refused,
  requireFiles,
  requirePosting,
  requireSigningRoot,
  type SetCommand,
  type SetSetting,
  type SettingValues,
  setting,
  several,
  text,
  wrong,
} from './set-setting.ts';

const title = text
  .max(MAX_TITLE_LENGTH, `it is longer than ${MAX_TITLE_LENGTH} characters`)
  .regex(/^\P{Cc}*$/u, 'it has a control character')
  .refine((title) => title.isWellFormed(), 'it has a lone surrogate');
const wholeNumber = `use a whole number from 1 to ${MAX_ENTRIES}`;
const entries = z.int(wholeNumber).min(1, wholeNumber).max(MAX_ENTRIES, wholeNumber);
const aNumberOfSeconds = 'use a number of seconds, at most a day';
const patterns = z.array(z.string().min(1, 'a pattern is empty')).max(1000, 'at most 1000 patterns');
const names = z.array(text).max(100, 'at most 100 aliases');
const linkRules = z.array(text).max(MOST_LINK_RULES, `at most ${MOST_LINK_RULES} rules`);
const hashes = z.array(z.enum(HASH_ALGORITHMS, `use one of ${HASH_ALGORITHMS.join(', ')}`));

/**
 * All settings of a set. The options of commands, `PATCH /api/sets/{set}`, the pages and the reference are derived from
 * them.
 */
const SET_SETTINGS = {
  ...ROOT_SETTING,
  ...RECORDS_SETTING,
  ...FROM_SETTINGS,
  urlPrefix: setting({
    field: 'urlPrefix',
    schema: text,
    meaning: 'What the URIs of the resources begin with, when another server serves them; `sets move` changes it.',
    default: '(below the base URL)',
    givenTo: ADD,
    flags: [one('--url-prefix <url>', text)],
  }),
  title: setting({
    field: 'title',
    schema: title,
    meaning: `The title for people, of at most ${MAX_TITLE_LENGTH} characters.`,
    default: '(none)',
    givenTo: ALL,
    flags: [one('--title <text>', title)],
  }),
  aliases: setting({
    field: 'aliases',
    schema: names,
    meaning: 'Names that posted events may have as resource_set, besides the id; no other set may have them.',
    default: '(none)',
    givenTo: ADD_AND_CHANGE,
    flags: [several('--alias <name>', names)],
    check: (given, origin) => given.length > 0 && requirePosting('--alias', origin),
    sample: ['name'],
  }),
  private: setting({
    field: 'private',
    schema: z.boolean(),
    meaning: 'Whether reading the set needs a token.',
    default: 'false',
    givenTo: ALL,
    ...PRIVACY,
    show: (stored?: boolean) => stored === true,
  }),
  exclude: setting({
    field: 'exclude',
    schema: patterns,
    meaning: 'Files that are left out: patterns in the manner of .gitignore.',
    default: '(none)',
    givenTo: ALL,
    flags: [several('--exclude <pattern>', patterns)],
    check(given, origin) {
      requireFewPatterns(given);
      requireKnownClasses(given);
      if (given.length > 0) requireFiles(origin);
    },
    sample: ['*.tmp'],
  }),
  links: setting({
    field: 'linkRules',
    schema: linkRules,
    meaning:
      'Rules by which its files get links to related resources, such as `*.xml describes *.tif` (docs/links.md).',
    default: '(none)',
    givenTo: ALL,
    flags: [several('--link <rule>', linkRules)],
    check: checkLinkRules,
    sample: ['*.xml describes *.tif'],
  }),
  resourceRootDir: setting({
    field: 'resourceRootDir',
    schema: text,
    meaning: 'The folder of posted locations of the type abs_path.',
    default: '(the root, when it is a folder)',
    givenTo: ADD_AND_CHANGE,
    flags: [one('--resource-root-dir <folder>', text)],
    locate: (folder, base) => resolve(base, folder),
    check(folder, origin) {
      requirePosting('--resource-root-dir', origin);
      if (!isAbsolute(folder)) throw refused(`"${folder}" is not an absolute path`);
    },
    sample: '/srv',
  }),
  pageSize: setting({
    field: 'pageEntries',
    schema: entries,
    meaning:
      'Most entries of a Resource List page; a set of more than 40,000 pages, or of very long URIs in thousands, gets larger ones.',
    default: String(DEFAULT_PAGE_ENTRIES),
    givenTo: ALL,
    flags: [one('--page-size <number>', entries, numberOf)],
  }),
  windowSize: setting({
    field: 'windowChanges',
    schema: entries,
    meaning: 'Most changes of a Change List window; closed windows stay as they are.',
    default: String(DEFAULT_WINDOW_CHANGES),
    givenTo: ALL,
    flags: [one('--window-size <number>', entries, numberOf)],
  }),
  publishHashes: setting({
    field: 'publishHashes',
    schema: hashes,
    meaning: 'Hashes to publish in addition to the strongest one.',
    default: '(none)',
    givenTo: ALL,
    flags: [several('--publish-hash <algorithm>', hashes)],
    check: checkPublishedHashes,
    sample: ['md5'],
  }),
  presignedSeconds: setting({
    field: 'presignedSeconds',
    schema: z.int(aNumberOfSeconds).min(1, aNumberOfSeconds).max(86_400, aNumberOfSeconds),
    meaning: 'With a root on S3: clients are sent to the S3 server, by URLs that are valid for so many seconds.',
    default: '(this server sends the bytes)',
    givenTo: ALL,
    flags: REDIRECT_FLAGS,
    fromFlags: presignedSeconds,
    check: requireSigningRoot,
    sample: 60,
  }),
  ...DUMP_SETTINGS,
} as const;

export type SetSettingName = keyof typeof SET_SETTINGS;
export type SetValues = SettingValues<typeof SET_SETTINGS>;

export const SET_SETTING_NAMES = Object.keys(SET_SETTINGS) as readonly SetSettingName[];

/** The settings that name a source. */
export const SOURCE_SETTINGS = SET_SETTING_NAMES.flatMap((name) => {
  const { source } = setSettingOf(name);
  return source === undefined ? [] : [{ name, source }];
});

export function setSettingOf(name: SetSettingName): SetSetting {
  return SET_SETTINGS[name] as unknown as SetSetting;
}

/** The settings that a command accepts. */
export function setSettingsOf(command: SetCommand): readonly SetSettingName[] {
  return SET_SETTING_NAMES.filter((name) => setSettingOf(name).givenTo.includes(command));
}

/** The settings of a command that the API and the pages also accept. */
export function setSettingsOverHttp(command: SetCommand): readonly SetSettingName[] {
  return setSettingsOf(command).filter((name) => setSettingOf(name).onlyLocal !== true);
}

/** Whether sets of an origin can have a value of a setting. */
export function canHave(origin: Origin, name: SetSettingName): boolean {
  const { check, sample } = setSettingOf(name);
  try {
    check?.(sample, origin);
    return true;
  } catch {
    return false;
  }
}

/** Every setting as it is shown; undefined for a setting without a value. */
export function shownSettings(set: ResourceSet): {
  readonly [Name in SetSettingName]?: Exclude<SetValues[Name], null>;
} {
  const shown = SET_SETTING_NAMES.map((name) => {
    const { field, show } = setSettingOf(name);
    return [name, show === undefined ? set[field] : show(set[field] as never)];
  });
  return Object.fromEntries(shown);
}

/**
 * The values, converted to properties of a set.
 * @throws TidemarkError `invalid` when a set of this origin cannot have one of them
 */
export function toSetFields(values: SetValues, origin: Origin): SetFields {
  const given = SET_SETTING_NAMES.filter((name) => values[name] !== undefined);
  for (const name of given) {
    if (values[name] !== null) checkValue(name, values[name], origin);
  }
  return Object.fromEntries(given.map((name) => [setSettingOf(name).field, values[name]]));
}

/**
 * Checks settings as they are stored, by the schema of their rows.
 * @throws TidemarkError `invalid` for a value that no set can have, or no set of this origin
 */
export function requireSetFields(fields: SetFields, origin: Origin): void {
  for (const name of SET_SETTING_NAMES) {
    const value = fields[setSettingOf(name).field as keyof SetFields];
    if (value !== undefined && value !== null) checkValue(name, value, origin);
  }
}

/** @throws TidemarkError `invalid`, whose field is the name of the setting */
function checkValue(name: SetSettingName, value: unknown, origin: Origin): void {
  const { schema, check } = setSettingOf(name);
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw wrong(name, `${name}: ${error.issues[0]!.message}`);
  try {
    check?.(value, origin);
  } catch (error) {
    throw withField(error, name);
  }
}
