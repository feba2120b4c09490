import * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { parseLinkRule } from '../../core/link-rule.ts';
import { type Origin, SOURCE_OPTIONS, traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { parseCron } from '../../lib/cron.ts';
import { parseS3Location } from '../../lib/s3/s3-location.ts';
import { Wrong } from '../checked-value.ts';
import { duration } from '../setting-values.ts';
import type { NamedSource } from './source-setting.ts';

/** The commands that accept settings of a set. What `sets change` accepts can also be changed over HTTP. */
export type SetCommand = 'publish' | 'sets add' | 'sets change';

/** One setting of a set. Its name is its key in the JSON API and in `sets show --json`. */
export interface SetSetting<Value = unknown> {
  /** The property of a set that contains it. */
  readonly field: keyof ResourceSet;
  readonly schema: z.ZodType<Value>;
  readonly meaning: string;
  /** As a user would write it; a text in parentheses when it depends on something. */
  readonly default: string;
  /** The commands that accept it. */
  readonly givenTo: readonly SetCommand[];
  readonly flags: readonly SetFlag[];
  /** Combines the values of several flags; absent when there is one flag. @param given by commander's names */
  readonly fromFlags?: (given: Given) => Value | null | undefined;
  /** Makes a relative path absolute. */
  readonly locate?: (value: Value, folder: string) => Value;
  /**
   * The error needs no field: `toSetFields` adds the name of the setting.
   * @throws TidemarkError `invalid` when a set of this origin cannot have the value
   */
  readonly check?: (value: Value, origin: Origin) => void;
  /** A value that passes `check` for every origin that can have one; present with `check`. */
  readonly sample?: Value;
  /** Whether only the command line accepts it, because it names files and hosts that the machine can reach. */
  readonly onlyLocal?: true;
  /** For a setting that names a source. */
  readonly source?: NamedSource;
  /** Converts the stored value into the one that is shown. */
  readonly show?: (stored: never) => Value | undefined;
}

export function setting<Value>(setting: SetSetting<Value>): SetSetting<Value> {
  return setting;
}

/** Values of settings as the API accepts them: null restores the default, undefined changes nothing. */
export type SettingValues<Settings extends Readonly<Record<string, { readonly schema: z.ZodType }>>> = {
  readonly [Name in keyof Settings]?: z.output<Settings[Name]['schema']> | null | undefined;
};

export const ADD: readonly SetCommand[] = ['sets add'];
export const ADD_AND_CHANGE: readonly SetCommand[] = ['sets add', 'sets change'];
export const ALL: readonly SetCommand[] = ['publish', 'sets add', 'sets change'];

export const text = z.string().min(1, 'it is empty').max(4096, 'it is longer than 4096 characters');

/** A flag of the command line. */
export interface SetFlag {
  /** In commander's syntax. */
  readonly flag: `--${string}`;
  /** Default: the meaning of the setting. */
  readonly meaning?: string;
  /** The commands that accept it. Default: those of the setting. */
  readonly givenTo?: readonly SetCommand[];
  /** Whether each time that it is given adds a value. */
  readonly repeats?: true;
  /** Reads its argument, if it has one. @throws Wrong */
  readonly parse?: (text: string, before: unknown) => unknown;
}

type Given = Readonly<Record<string, unknown>>;

/** Seconds that a presigned URL is valid when no duration is given. */
const DEFAULT_EXPIRY = 900;

/** A flag that is given once. An empty argument restores the default. */
export function one(flag: SetFlag['flag'], schema: z.ZodType, read: (text: string) => unknown = String): SetFlag {
  return { flag, parse: (text) => (text === '' ? null : parsed(schema, read(text))) };
}

/** A flag that may be given several times. An empty argument alone makes an empty list. */
export function several(flag: SetFlag['flag'], schema: z.ZodType): SetFlag {
  return {
    flag,
    repeats: true,
    parse(text, before = []) {
      const texts = [...(before as readonly string[]), ...(text === '' ? [] : [text])];
      return parsed(schema, texts);
    },
  };
}

/** A CRON pattern. */
export const cronPattern = z.string().superRefine((pattern, { addIssue }) => {
  try {
    parseCron(pattern, 'UTC');
  } catch (error) {
    const why = (error as Error).message;
    addIssue(`"${pattern}" is not a time: ${why}`);
  }
});

/** A flag with a CRON pattern; `none`, or an empty argument, removes the schedule. */
export function schedule(flag: SetFlag['flag']): SetFlag {
  return { flag, parse: (text) => (text === '' || text === 'none' ? null : parsed(cronPattern, text)) };
}

export function numberOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

const PRIVACY_FLAGS: readonly SetFlag[] = [
  { flag: '--private', meaning: 'only clients with a token for it can read it; for all others, it does not exist' },
  { flag: '--public', meaning: 'all clients can read it', givenTo: ['sets change'] },
];

function privacy({ private: isPrivate, public: isPublic }: Given): boolean | undefined {
  if (isPrivate === true && isPublic === true) throw wrong('private', 'give either --private or --public');
  if (isPublic === true) return false;
  return isPrivate === true ? true : undefined;
}

/** The organization of a stream decides this for all of its sets. */
function checkPrivacy(isPrivate: boolean, origin: Origin): void {
  const { stream } = traitsOf(origin);
  if (stream === undefined) return;
  const flag = isPrivate ? '--private' : '--public';
  const instead = `tidemark organizations change ${stream.organization} ${flag}`;
  throw refused(`the organization decides who may read its sets: run "${instead}"`);
}

export const PRIVACY = { flags: PRIVACY_FLAGS, fromFlags: privacy, check: checkPrivacy, sample: true } as const;

export const REDIRECT_FLAGS: readonly SetFlag[] = [
  {
    flag: '--redirect <how>',
    meaning: 'with a root on S3, send clients to the S3 server, by URLs that are valid for a while: presigned',
    parse: parseRedirect,
  },
  { flag: '--redirect-expiry <duration>', meaning: 'how long such a URL is valid (default: 15m)', parse: secondsOf },
];

export function presignedSeconds({ redirect, redirectExpiry }: Given): number | null | undefined {
  if (redirect === 'presigned') return (redirectExpiry as number | undefined) ?? DEFAULT_EXPIRY;
  if (redirectExpiry !== undefined) throw wrong('redirect', '--redirect-expiry goes with --redirect presigned');
  return redirect as null | undefined;
}

export function requireSigningRoot(_seconds: number, origin: Origin): void {
  const { bucket } = traitsOf(origin);
  if (bucket === undefined) throw refused('--redirect presigned goes with a root on S3');
  if (!parseS3Location(bucket).anonymous) return;
  throw refused('--redirect presigned needs credentials, and the root is anonymous');
}

export const VERSION_FLAGS: readonly SetFlag[] = [
  { flag: '--keep-versions', meaning: 'keep the bytes of every version, and publish them (docs/dumps.md)' },
  { flag: '--no-keep-versions', meaning: 'keep no more versions, and publish none', givenTo: ['sets change'] },
];

/** Delivered files are hashed once, when they are stored. */
export function checkPublishedHashes(hashes: readonly HashAlgorithm[], origin: Origin): void {
  if (traitsOf(origin).stream === undefined || hashes.every((name) => name === 'sha-256')) return;
  throw refused('what organizations deliver has the hash sha-256 alone');
}

/** Not every source has earlier versions. */
export function requireVersions(option: string, origin: Origin): void {
  const { reasonForNoVersions } = traitsOf(origin);
  if (reasonForNoVersions !== undefined) throw refused(`${option} is not for this set: ${reasonForNoVersions}`);
  requireOriginWithBytes(option, origin);
}

/** Resources of a set without files get links from their records, or with posted events. */
export function checkLinkRules(rules: readonly string[], origin: Origin): void {
  for (const rule of rules) parseLinkRule(rule);
  const { entry, stream } = traitsOf(origin);
  if (rules.length > 0 && stream !== undefined) throw refused('--link is not for sets of streams');
  if (rules.length === 0 || entry === 'file') return;
  if (entry === 'record') {
    throw refused('--link is for files: a set of records takes no rules, and its records have no links');
  }
  throw refused('--link goes with a root: post the links of other resources, as docs/posting-changes.md says');
}

/** A set of records has no files, and no locations of files. */
export function refuseWithRecords(option: string, origin: Origin): void {
  const { entry, stream, option: its } = traitsOf(origin);
  if (stream !== undefined) throw refused(`${option} is for sets with a root, and not for sets of streams`);
  if (entry !== 'record') return;
  throw refused(`a set of records has no files: leave out ${its} or ${option}`);
}

/** Only files can be excluded: others decide what else a set contains. */
export function requireFiles(origin: Origin): void {
  refuseWithRecords('--exclude', origin);
  if (traitsOf(origin).source !== undefined) return;
  throw refused('--exclude goes with --root or --from: the clients that post to this set decide what it contains');
}

/** If another server has the resources of a set, nothing can be made from their bytes. */
export function requireOriginWithBytes(option: string, origin: Origin): void {
  const { source, reasonForNoDump } = traitsOf(origin);
  if (reasonForNoDump !== undefined) throw refused(`${option} is not for this set: ${reasonForNoDump}`);
  if (source !== undefined) return;
  throw refused(`the bytes of this set are elsewhere: ${option} needs a set with ${SOURCE_OPTIONS}`);
}

/** A set to which no client may post needs no settings for posted events. */
export function requirePosting(option: string, origin: Origin): void {
  if (traitsOf(origin).reasonForNoPosting === undefined) return;
  throw refused(`${option} is for sets to which events are posted: this one takes none`);
}

/** @throws TidemarkError `invalid` for a set that copies no other source */
export function requireFrom(option: string, origin: Origin): void {
  if (traitsOf(origin).from === undefined) throw refused(`${option} goes with --from`);
}

/** The error of a `check`. */
export function refused(message: string): TidemarkError {
  return new TidemarkError('invalid', message);
}

export function wrong(field: string, message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field });
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new Wrong(error.issues[0]!.message);
}

function parseRedirect(text: string): 'presigned' | null {
  if (text === '') return null;
  if (text === 'presigned') return text;
  throw new Wrong('use presigned');
}

/** Reads a duration into seconds. */
export function secondsOf(text: string): number {
  const { success, data, error } = duration.safeParse(text);
  if (success) return Math.ceil(data / 1000);
  throw new Wrong(`it ${error.issues[0]!.message}`);
}
