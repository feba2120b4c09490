import { readFile } from 'node:fs/promises';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { isRefusedHost } from '../lib/http/private-host.ts';
import type { Collection } from '../records/collections/collection.ts';
import type { CollectionRegistry } from '../records/collections/collection-registry.ts';
import type { HarvestKind, HarvestRequest, HarvestRun } from '../records/collections/harvest-run.ts';
import type { HarvestRuns } from '../records/collections/harvest-runs.ts';
import { type FoundFile, ifThere, type NsdlFolders } from './folders.ts';
import type { Refusals } from './refusals.ts';
import { parseTrigger, type RunType, requireTriggerName, type Trigger } from './trigger-file.ts';
import { uuidIn, uuidOfText } from './uuid.ts';

interface TriggerParts {
  readonly folders: NsdlFolders;
  readonly collections: Pick<CollectionRegistry, 'byHandle' | 'change' | 'refresh'>;
  readonly harvestRuns: Pick<HarvestRuns, 'queue'>;
  readonly refusals: Refusals;
  /** Private networks that may be harvested. */
  readonly networks: readonly string[];
}

/** What became of a trigger file. */
export type TakenTrigger = { readonly file: string } & (
  | { readonly collection: string; readonly run: number; readonly runType: RunType; readonly uuid: string }
  /** Another process has taken it, or it is not complete. */
  | { readonly waits: string }
  | { readonly refused: string; readonly uuid: string }
);

/** Bytes: a real one has two thousand. */
const LONGEST = 1024 * 1024;
/** Milliseconds for which a file that is not well-formed may still be written. */
const BEING_WRITTEN_MS = 120_000;

/** Sets of a repository that its description has, at most. */
const MOST_KNOWN_SETS = 10_000;

const KINDS: Readonly<Record<RunType, HarvestKind>> = {
  check: 'check',
  test: 'test',
  harvest: 'incremental',
  incremental_harvest: 'incremental',
  full_reharvest: 'full',
};

/**
 * Queues a harvest for each trigger file, and moves the file. A process that is killed in between leaves the file to
 * the next one, which finds the run by its uuid.
 */
export async function takeTriggers(parts: TriggerParts): Promise<readonly TakenTrigger[]> {
  const taken: TakenTrigger[] = [];
  for (const file of await parts.folders.list('triggers')) {
    const one = await take(file, parts);
    if (one !== undefined) taken.push(one);
  }
  return taken;
}

/** Undefined when another process has moved the file. */
async function take(file: FoundFile, parts: TriggerParts): Promise<TakenTrigger | undefined> {
  const { folders, harvestRuns, refusals } = parts;
  const bytes = file.length > LONGEST ? Buffer.alloc(0) : await ifThere(readFile(file.path));
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  const made = uuidOfText([file.name, file.modified, text].join('\n'));
  try {
    if (file.length > LONGEST) throw new TidemarkError('invalid', `it has more than ${LONGEST} bytes`);
    const { trigger, collection } = await requestOf(file.name, bytes, parts);
    const { uuid = made, runType } = trigger;
    const request = { kind: KINDS[runType], uuid, ...onlyOfRun(trigger, collection) };
    const run: HarvestRun = await harvestRuns.queue(collection.id, request, { by: 'trigger-file', file: file.name });
    await folders.move(file, 'takenTriggers');
    return { file: file.name, collection: collection.id, run: run.number, runType, uuid };
  } catch (error) {
    if (!isTidemarkError(error)) throw error;
    // It is taken later, and the others are taken now.
    if (error.code !== 'invalid') return { file: file.name, waits: error.message };
    const isBeingWritten = error.details.isMalformed === true && Date.now() - file.modified < BEING_WRITTEN_MS;
    if (isBeingWritten) return { file: file.name, waits: `it may still be written: ${error.message}` };
    const uuid = uuidIn(text) ?? made;
    const [, collectionNA] = /<(?:[\w.-]+:)?collectionNA>\s*([^<]*?)\s*</.exec(text) ?? [];
    await refusals.add({ what: 'trigger', file: file.name, uuid, reason: error.message, collectionNA });
    await folders.move(file, 'failedTriggers');
    return { file: file.name, refused: error.message, uuid };
  }
}

/** @throws TidemarkError `invalid` */
async function requestOf(
  name: string,
  bytes: Buffer,
  { collections, networks }: TriggerParts,
): Promise<{ readonly trigger: Trigger; readonly collection: Collection }> {
  const trigger = parseTrigger(utf8(bytes));
  requireTriggerName(name);
  const { collectionNA, baseUrl } = trigger;
  const collection = await collections.byHandle(collectionNA);
  if (collection === undefined) throw unknownHandle(collectionNA);
  const { hostname } = new URL(baseUrl);
  if (isRefusedHost(hostname, networks)) {
    const message = `its baseURL ${baseUrl} is in a private network: name it in the setting harvestNetworks`;
    throw new TidemarkError('invalid', message);
  }
  return { trigger, collection: await settled(collection, trigger, collections) };
}

export function unknownHandle(collectionNA: string): TidemarkError {
  const message = `no collection has the handle ${JSON.stringify(collectionNA.slice(0, 200))} (collectionNA): give it to one with "tidemark collections change ID --handle ${collectionNA}"`;
  return new TidemarkError('invalid', message);
}

/**
 * The collection as the file says. Another base URL or format becomes that of the collection, after the repository was
 * asked: the harvest manager has the settings of its collections. Sets are checked.
 * @throws TidemarkError `invalid`
 */
async function settled(
  known: Collection,
  { baseUrl, format = known.format, sets }: Trigger,
  collections: TriggerParts['collections'],
): Promise<Collection> {
  const isSame = baseUrl === known.baseUrl && format === known.format;
  const collection = isSame ? known : await collections.change(known.id, { baseUrl, format });
  const missing = ({ repository }: Collection) =>
    sets.find((set) => !repository.sets?.some(({ spec }) => spec === set));
  if (missing(collection) === undefined || sets.every((set) => collection.sets.includes(set))) return collection;
  const refreshed = await collections.refresh(known.id);
  const absent = missing(refreshed);
  // Of a repository with more, not all sets are known.
  if (absent === undefined || refreshed.repository.sets?.length === MOST_KNOWN_SETS) return refreshed;
  throw new TidemarkError('invalid', `the repository has no set ${JSON.stringify(absent.slice(0, 200))}`);
}

/** What a file requests for one run alone. Without sets, those of the collection: everything may be far more. */
function onlyOfRun({ sets, fromDate }: Trigger, collection: Collection): Pick<HarvestRequest, 'sets' | 'from'> {
  const isSame = sets.length === 0 || new Set(sets).symmetricDifference(new Set(collection.sets)).size === 0;
  return { ...(!isSame && { sets }), ...(fromDate !== undefined && { from: fromDate }) };
}

/** @throws TidemarkError `invalid` */
function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TidemarkError('invalid', 'its bytes are not UTF-8: save it in UTF-8');
  }
}
