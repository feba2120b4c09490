import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { App } from '../../src/app.ts';
import { verify } from '../../src/backup/verify/verify.ts';
import { publishedOf } from '../../src/cli/commands/verify-set.ts';
import type { Change } from '../../src/core/change.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { uriOf } from '../../src/core/key.ts';
import { formatStamp } from '../../src/core/stamp.ts';
import { BODY_ENDING, type DocumentRecord } from '../../src/publish/cache/document-files.ts';
import { collect } from './builders.ts';
import type { Client, SentEvent } from './fault-clients.ts';
import { SLUG, URL_PREFIX } from './fault-source.ts';
import { stateOf } from './fault-states.ts';
import type { SetReader } from './set-reader.ts';
import { until } from './until.ts';

export async function readLog({ index, sets }: App): Promise<readonly Change[]> {
  await untilApplied(index);
  const { id } = await sets.bySlug(SLUG);
  return collect(index.changes(id, { after: 0 }));
}

/**
 * Waits until everything that was committed is applied: a store on a busy machine may say that it takes longer
 * longer.
 */
export async function untilApplied(index: Pick<App['index'], 'watermark'>): Promise<void> {
  await until('everything is applied', async () => {
    try {
      await index.watermark();
      return true;
    } catch (error) {
      if (isTidemarkError(error, 'unavailable')) return false;
      throw error;
    }
  });
}

/** State is the fold of the log, and the lists say both. */
export async function requireConsistent(app: App, reader: SetReader): Promise<void> {
  await untilApplied(app.index);
  const set = await app.sets.bySlug(SLUG);
  const published = publishedOf(app, await app.sets.source());
  const { differences } = await verify({ set, index: app.index, published });
  assert.deepEqual(differences.first, []);

  const state = await collect(app.index.read(set.id, {}));
  const { resources } = await reader.resourceList();
  assert.deepEqual(
    [...resources.values()],
    state.map(({ key, state }) => ({ uri: uriOf(URL_PREFIX, key), length: state.length })),
  );

  const windows = await reader.changeWindows();
  assert.deepEqual(
    windows.flatMap(({ changes }) => changes),
    (await readLog(app)).map(({ key, kind, stamp, state }) => ({
      uri: uriOf(URL_PREFIX, key),
      length: state?.length,
      change: kind,
      datetime: formatStamp(stamp),
    })),
  );
}

/**
 * Every acknowledged event is in the log, once and with its complete state; the log has nothing that no client sent,
 * and no half of a request. At least one client has an answer.
 */
export function requireAcknowledged(log: readonly Change[], clients: readonly Client[]): void {
  assert.ok(
    clients.some(({ answers }) => answers > 0),
    'no client was answered',
  );
  const byTime = new Map(log.map((change) => [formatStamp(change.stamp), change]));
  const logged = countsByLength(log);
  for (const { sent } of clients) {
    requireAnswersLogged(sent, { byTime, logged });
    requireDeletionsMissed(sent, log);
    requirePrefix(logged, sent);
  }
}

interface LoggedChanges {
  /** By their datetimes. */
  readonly byTime: ReadonlyMap<string, Change>;
  /** How many have a length. */
  readonly logged: ReadonlyMap<number, number>;
}

function requireAnswersLogged(sent: readonly SentEvent[], { byTime, logged }: LoggedChanges): void {
  let lastTime = '';
  for (const { event, answer } of sent) {
    const about = JSON.stringify({ ...event, answer });
    if (event.length !== undefined && answer !== undefined) assert.equal(logged.get(event.length), 1, about);
    if (answer === undefined) continue;
    assert.notEqual(answer.status, 'rejected', about);
    if (answer.status !== 'applied') continue;
    const change = byTime.get(answer.datetime!);
    const state = event.length === undefined ? undefined : stateOf(event.length);
    assert.deepEqual([change?.kind, change?.key, change?.state], [answer.change, keyOf(event), state]);
    assert.ok(answer.datetime! > lastTime, `${about} was acknowledged with a time that does not ascend`);
    lastTime = answer.datetime!;
  }
}

/**
 * A deletion that was answered with "not there" met no live resource: between the client's changes before it and after
 * it, which is between its request and its answer, the log has a time at which the key is not live.
 */
function requireDeletionsMissed(sent: readonly SentEvent[], log: readonly Change[]): void {
  const times = sent.map(({ answer }) => (answer?.status === 'applied' ? answer.datetime : undefined));
  const histories = Map.groupBy(log, ({ key }) => key);
  let after = '';
  for (const [at, { event, answer }] of sent.entries()) {
    after = times[at] ?? after;
    if (answer?.reason !== 'not-there') continue;
    const before = times.slice(at).find((time) => time !== undefined) ?? '~';
    const history = (histories.get(keyOf(event)) ?? []).map(({ kind, stamp }) => ({ kind, time: formatStamp(stamp) }));
    const known = history.findLast(({ time }) => time <= after);
    const wasMissing = known === undefined || known.kind === 'deleted';
    const wasDeleted = history.some(({ kind, time }) => kind === 'deleted' && time > after && time < before);
    assert.ok(wasMissing || wasDeleted, `${JSON.stringify(event)} was answered with "not there", and was there`);
  }
}

/** A commit is in the log or not. So the log has the beginning of what a client sent, up to the end of a request. */
function requirePrefix(logged: ReadonlyMap<number, number>, sent: readonly SentEvent[]): void {
  const upserts = sent.filter(({ event }) => event.length !== undefined);
  const missing = upserts.findIndex(({ event }) => !logged.has(event.length!));
  if (missing < 0) return;
  for (const { event } of upserts.slice(missing)) {
    assert.equal(logged.get(event.length!), undefined, `${JSON.stringify(event)} came after one that was lost`);
  }
  const { request } = upserts[missing]!;
  if (request > 0) assert.notEqual(upserts[missing - 1]?.request, request, 'half of a request is in the log');
}

/** Every event of the clients changed something exactly once, and in the order of its client. */
export function requireEachOnce(log: readonly Change[], clients: readonly Client[]): void {
  const logged = countsByLength(log);
  const order = new Map([...logged.keys()].map((length, at) => [length, at]));
  for (const { sent } of clients) {
    let last = -1;
    for (const { event } of sent.filter(({ event }) => event.length !== undefined)) {
      const about = JSON.stringify(event);
      assert.equal(logged.get(event.length!), 1, about);
      assert.ok(order.get(event.length!)! > last, `${about} is not in the order in which it was posted`);
      last = order.get(event.length!)!;
    }
  }
}

/** A key is created when it is not there, and only then. */
export function requireAlternating(log: readonly Change[]): void {
  const live = new Set<string>();
  for (const { key, kind } of log) {
    assert.equal(kind === 'created', !live.has(key), `${key} is ${kind}`);
    if (kind === 'deleted') live.delete(key);
    else live.add(key);
  }
}

/** Every record in the document cache has its body, whole. Returns how many files belong to no record. */
export async function requireWholeDocuments(dataFolder: string): Promise<number> {
  let leftOver = 0;
  const documents = join(dataFolder, 'documents');
  for (const folder of await readdir(documents).catch(() => [])) {
    const files = await readdir(join(documents, folder));
    const bodies = new Set<string>();
    for (const file of files.filter((name) => name.includes('@'))) {
      const record = await requireWhole(join(documents, folder, file));
      if (record !== undefined) bodies.add(record.body);
    }
    leftOver += files.filter((file) => !file.includes('@') && !bodies.has(basename(file).split('.')[0]!)).length;
  }
  return leftOver;
}

/** The record, or undefined when a running server replaced it since it was listed. */
async function requireWhole(path: string): Promise<DocumentRecord | undefined> {
  try {
    const record = await readRecord(path);
    await requireBody(path, record);
    return record;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(path)) return undefined;
    throw error;
  }
}

async function requireBody(path: string, { body, digest, lengths }: DocumentRecord): Promise<void> {
  const packed = await readFile(join(path, '..', body + BODY_ENDING));
  const bytes = gunzipSync(packed);
  assert.equal(createHash('sha256').update(bytes).digest('base64url'), digest, path);
  assert.deepEqual({ identity: bytes.length, gzip: packed.length }, lengths, path);
}

async function readRecord(path: string): Promise<DocumentRecord> {
  return JSON.parse(await readFile(path, 'utf8'));
}

function countsByLength(log: readonly Change[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { state } of log) {
    if (state?.length !== undefined) counts.set(state.length, (counts.get(state.length) ?? 0) + 1);
  }
  return counts;
}

function keyOf({ location }: SentEvent['event']): string {
  return `/${location.value}`;
}
