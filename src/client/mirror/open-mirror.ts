import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { Closers } from '../../lib/calls/closers.ts';
import { retry } from '../../lib/calls/retry.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { withoutLogin } from '../read/source-credentials.ts';
import type { Reader } from '../read/source-reader.ts';
import { Mirror, type MirrorParts } from './mirror.ts';
import type { MirrorOptions } from './mirror-options.ts';
import { OWN_PREFIX } from './names/safe-name.ts';
import { findSet, isNamed, type MirroredSet, readSet, requireSameKind } from './source/find-set.ts';
import { LIMITS, OUTAGE_BACKOFF, openRequests } from './source/open-requests.ts';
import { lockMirror } from './state/mirror-lock.ts';
import { MirrorState, STATE_FILE } from './state/mirror-state.ts';

/**
 * Opens or creates a copy of a set.
 * @throws TidemarkError when the source is not found, when the place has other content, and when another process has
 * the lock of the copy
 */
export async function openMirror(options: MirrorOptions): Promise<Mirror> {
  const closers = new Closers();
  try {
    const { place, adopt: adopts, signal } = options;
    place.prepare(adopts);
    const own = join(place.stateFolder, OWN_PREFIX);
    makeFolder(place.stateFolder, 0o777);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const lock = lockMirror(own, place.name);
    closers.add(() => lock.release());
    const state = new MirrorState(join(place.stateFolder, STATE_FILE));
    closers.add(() => state.close());
    if (options.isListed === true) state.listByKey();
    const target = await place.open({ state, own, adopts, source: withoutLogin(options.url) });
    closers.add(() => target.close());
    state.beginNames(target.keepsNames);
    const requests = await openRequests(options);
    closers.add(() => requests.close());
    const { fetcher, eventReader } = requests;
    const reader = { fetcher, limits: LIMITS, signal, progress: () => {} };
    const parts = { options, reader, eventReader, state, target, own };
    return new Mirror(await setWhenReadable(parts), parts, closers);
  } catch (error) {
    // The error that kept it from being opened is more useful than one of closing.
    await closers.close().catch(() => {});
    throw error;
  }
}

/**
 * As `setOf`, but waits for the source of a copy that is to be followed. It does not wait for a URL that never led to a
 * source: that is probably wrong.
 */
async function setWhenReadable(parts: MirrorParts): Promise<MirroredSet> {
  const { options, state } = parts;
  const { onOutage, signal } = options;
  let isAway = false;
  const isTemporary = (error: unknown) => {
    const waits = options.waitsForSource && state.fact('set') !== undefined;
    if (!waits || signal.aborted || !isTidemarkError(error, 'unavailable')) return false;
    if (!isAway) onOutage({ of: 'source', reason: error.message });
    isAway = true;
    return true;
  };
  const set = await retry(() => setOf(parts), { ...OUTAGE_BACKOFF, signal, isTemporary });
  if (isAway) onOutage(undefined);
  return set;
}

/** The set of the copy: the existing one, or the one to create. */
async function setOf({ options, reader, state }: MirrorParts): Promise<MirroredSet> {
  const url = withoutLogin(options.url);
  const [before, set] = [state.fact('url'), state.fact('set')];
  if (before === undefined || set === undefined) {
    const { source, ...found } = await findSet(reader, url, options.set);
    if (source !== undefined) options.onNotice(`${url} led to the source ${source}: its set ${found.uri} is copied`);
    state.setFact('url', url);
    state.setFact('set', found.uri);
    state.commit();
    return found;
  }
  if (before !== url && set !== url && !(await leadsTo(reader, url, set))) {
    const message = `${options.place.name} is a copy of ${before}: give that URL, or another folder`;
    throw new TidemarkError('conflict', message, { url: before });
  }
  if (options.set !== undefined && !isNamed(set, options.set)) {
    throw new TidemarkError('conflict', `${options.place.name} is a copy of the set ${set}: use another folder`, {
      set,
    });
  }
  const now = await readSet(reader, set);
  const listBefore = state.fact('listRead')?.uri;
  requireSameKind(now, listBefore === undefined ? [] : [listBefore]);
  return now;
}

/**
 * Whether a URL belongs to the source of a set.
 * @throws TidemarkError `unavailable` when it cannot be read
 */
async function leadsTo(reader: Reader, url: string, set: string): Promise<boolean> {
  try {
    return (await findSet(reader, url, set)).uri === set;
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return false;
    throw error;
  }
}
