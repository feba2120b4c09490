import { isTidemarkError } from '../../../core/errors.ts';
import { RunningHashes } from '../../../core/running-hashes.ts';
import type { Reader } from '../../read/source-reader.ts';
import { agrees, type CopiedResource, strongestOf, type WantedResource } from '../lists/wanted-resource.ts';
import type { KnownResource } from '../state/known-resource.ts';
import type { MirrorState } from '../state/mirror-state.ts';
import type { WantedTable } from '../state/wanted-table.ts';
import type { MirrorTarget } from '../target/mirror-target.ts';
import type { CopyWriter } from './copy-writer.ts';
import { fetchResource, ResourceFailure } from './fetch-resource.ts';

export interface ApplyParts {
  readonly reader: Reader;
  readonly state: MirrorState;
  readonly target: MirrorTarget;
  readonly writer: CopyWriter;
  /** Number of resources that are fetched concurrently. */
  readonly connections: number;
  /** Whether the target may have files that the state does not have. */
  readonly mayHaveFiles: boolean;
  readonly onProgress: (done: number, total: number) => void;
}

/** Deletes resources that are not wanted any more. It runs first, so that new resources can use their paths. */
export async function applyDeletions(wanted: WantedTable, parts: ApplyParts): Promise<void> {
  const { state, writer } = parts;
  try {
    for (const { uri } of wanted.read('deletions')) {
      parts.reader.signal.throwIfAborted();
      const known = state.resource(uri);
      if (known === undefined) state.clearFailure(uri);
      else await writer.remove(known);
    }
  } finally {
    await writer.flush();
  }
}

/** Records what the source says of resources whose bytes the copy has already, such as their links. */
export async function applyDescriptions(wanted: WantedTable, parts: ApplyParts): Promise<void> {
  const { reader, state, writer } = parts;
  if (state.largestId() === 0) return;
  try {
    for (const { uri } of wanted.read('fetches')) {
      reader.signal.throwIfAborted();
      const known = state.resource(uri);
      if (known?.copied === undefined) continue;
      const row = wanted.fetchOf(uri)!;
      if (agrees(known.copied, row.wanted) !== true) continue;
      wanted.take(row);
      await writer.describe(known, row.wanted.about);
    }
  } finally {
    await writer.flush();
  }
}

/** Fetches the resources that differ. Resources that cannot be copied are recorded as failed, and keep their files. */
export async function applyFetches(wanted: WantedTable, parts: ApplyParts): Promise<void> {
  try {
    await fetchAll(wanted, parts);
  } finally {
    // Done also when the pass was stopped: fetched files need not be fetched again.
    await parts.writer.flush();
  }
}

async function fetchAll(wanted: WantedTable, parts: ApplyParts): Promise<void> {
  const total = wanted.size.fetches;
  const resources = wanted.read('fetches');
  const stopping = new AbortController();
  const signal = AbortSignal.any([parts.reader.signal, stopping.signal]);
  const reader: Reader = { ...parts.reader, signal };
  let done = 0;
  const work = async () => {
    for (let next = resources.next(); !next.done; next = resources.next()) {
      signal.throwIfAborted();
      await copy(next.value, { ...parts, reader });
      done += 1;
      parts.onProgress(done, total);
    }
  };
  const workers = Array.from({ length: Math.max(1, Math.min(parts.connections, total)) }, work);
  try {
    await Promise.all(workers);
  } finally {
    // One worker failed: the others must not continue after this function has returned.
    stopping.abort(new Error('another resource failed'));
    await Promise.allSettled(workers);
  }
}

async function copy(wanted: WantedResource, parts: ApplyParts): Promise<void> {
  const { reader, state, target, writer } = parts;
  const known = state.resource(wanted.uri) ?? state.name(wanted.uri);
  const isUnsure = known.copied !== undefined && agrees(known.copied, wanted) === undefined;
  try {
    const right = await rightAlready(known, wanted, parts);
    if (right !== undefined) return await writer.confirm(known, { copied: right, validator: undefined });
    // The entry does not say enough to decide: ask the server, with the validator that it sent before.
    const validator = isUnsure ? known.validator : undefined;
    const fetched = await fetchResource(reader, target, { wanted, path: known.path, validator });
    if (fetched !== undefined) return await writer.add({ ...fetched, known, wanted });
    const { lastmod, stamp, about } = wanted;
    await writer.confirm(known, { copied: { ...known.copied!, lastmod, stamp, about }, validator });
  } catch (error) {
    if (!(error instanceof ResourceFailure)) throw error;
    writer.fail(wanted, error.message);
  }
}

/**
 * The state of a resource's file if it has the right bytes already: an earlier process ended before it could record
 * them.
 */
export async function rightAlready(
  { path }: KnownResource,
  { length, hashes, lastmod, stamp, about }: WantedResource,
  { target, mayHaveFiles }: Pick<ApplyParts, 'target' | 'mayHaveFiles'>,
): Promise<CopiedResource | undefined> {
  if (!mayHaveFiles) return undefined;
  const name = strongestOf(hashes);
  if (name === undefined || length === undefined || (await target.lengthOf(path)) !== length) return undefined;
  if ((await hashOf(target, path, name)) !== hashes[name]) return undefined;
  return { length, hash: `${name}:${hashes[name]}`, lastmod, stamp, about };
}

/** The digest of a file of the copy; undefined when it does not exist. @throws TidemarkError of the target */
export async function hashOf(
  target: MirrorTarget,
  path: string,
  name: NonNullable<ReturnType<typeof strongestOf>>,
): Promise<string | undefined> {
  const hashes = new RunningHashes([name]);
  try {
    for await (const chunk of target.read(path)) hashes.update(chunk);
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
  return hashes.digest()[name];
}
