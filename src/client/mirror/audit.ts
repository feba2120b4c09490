import type { HashAlgorithm } from '../../core/hash.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { Reader } from '../read/source-reader.ts';
import { readChanges } from './lists/read-changes.ts';
import { ChangesMissing } from './lists/take-changes.ts';
import {
  agrees,
  type CopiedResource,
  formatHashes,
  parseHashes,
  type WantedResource,
} from './lists/wanted-resource.ts';
import type { MirrorProgress } from './mirror-options.ts';
import { hashOf } from './pass/apply-wanted.ts';
import { compareWithSource } from './pass/compare-source.ts';
import type { MirroredSet } from './source/find-set.ts';
import { cursorOf } from './state/cursor.ts';
import type { KnownResource } from './state/known-resource.ts';
import type { MirrorState } from './state/mirror-state.ts';
import { WantedTable } from './state/wanted-table.ts';
import type { MirrorTarget } from './target/mirror-target.ts';

/** A difference between a copy and its lists or files. */
export interface Difference {
  /**
   * The kind of the difference.
   * - `not-copied`: listed, but not in the copy, or with another length, hash or lastmod
   * - `not-deleted`: in the copy, but not listed
   * - `missing`, `changed`: the file of a resource does not exist, or was changed
   * - `extra`: a file of no resource
   */
  readonly kind: 'not-copied' | 'not-deleted' | 'missing' | 'changed' | 'extra';
  /** The path in the copy; for `not-copied`, the URI. */
  readonly name: string;
}

export interface AuditReport {
  /** Number of resources in the Resource List. */
  readonly listed: number;
  /** Number of files in the copy. */
  readonly files: number;
  /** Number of all differences. */
  readonly count: number;
  /** The first differences, at most `MOST_DIFFERENCES`. */
  readonly differences: readonly Difference[];
  /** Number of resources that have changed since the last pass. */
  readonly pending: number;
}

interface AuditParts {
  readonly set: MirroredSet;
  readonly reader: Reader;
  readonly state: MirrorState;
  readonly target: MirrorTarget;
  readonly own: string;
  /** Whether the bytes of all files are read and hashed. */
  readonly rehash: boolean;
  readonly connections: number;
  readonly onProgress: (progress: MirrorProgress) => void;
  readonly onNotice: (text: string) => void;
}

const MOST_DIFFERENCES = 1_000;
const READ_AT_ONCE = 1_000;

/**
 * Compares a whole copy with the Resource List, and its files with the state. Changes since the last pass are not
 * differences. The next pass fetches wrong files again; nothing else is changed.
 * @throws DocumentFailure
 */
export async function audit(parts: AuditParts): Promise<AuditReport> {
  const log = new DifferenceLog();
  const { listed, pending } = await compareLists(parts, log);
  const files = await compareFiles(parts, log);
  for await (const path of parts.target.paths()) {
    parts.reader.signal.throwIfAborted();
    if (parts.state.resourceAt(path) === undefined) log.add('extra', path);
  }
  parts.state.commit();
  return { listed, files, pending, count: log.count, differences: log.differences };
}

/** Compares the lists of the source with the state. */
async function compareLists(parts: AuditParts, log: DifferenceLog): Promise<{ listed: number; pending: number }> {
  const { set, state, own, onProgress } = parts;
  if (set.resourceLists.length === 0) return { listed: 0, pending: 0 };
  const wanted = new WantedTable(own);
  const changed = new WantedTable(own);
  try {
    const onListed = (done: number) => onProgress({ step: 'comparing', done, total: 0 });
    const { listed } = await compareWithSource({ ...parts, wanted, onListed });
    await readPending(parts, changed);
    const isPending = ({ uri }: WantedResource) => changed.get(uri) !== undefined;
    for (const resource of wanted.read('fetches')) {
      if (!isPending(resource) && differs(state, resource)) log.add('not-copied', resource.uri);
    }
    for (const resource of wanted.read('deletions')) {
      const path = isPending(resource) ? undefined : pathOfCopied(state, resource);
      if (path !== undefined) log.add('not-deleted', path);
    }
    const { deletions, fetches } = changed.size;
    return { listed, pending: deletions + fetches };
  } finally {
    wanted.close();
    changed.close();
  }
}

/**
 * Whether an entry has another version than the copy, as far as it says. A wrong file is reported when files are
 * compared.
 */
function differs(state: MirrorState, wanted: WantedResource): boolean {
  const copied = state.resource(wanted.uri)?.copied ?? foundWrong(state, wanted.uri);
  return copied === undefined || agrees(copied, wanted) === false;
}

function pathOfCopied(state: MirrorState, { uri }: WantedResource): string | undefined {
  const known = state.resource(uri);
  return (known?.copied ?? foundWrong(state, uri)) === undefined ? undefined : known?.path;
}

/**
 * Reads the changes since the last pass. It reads them after the list, so they include every change that the list has
 * and the copy does not have.
 */
async function readPending({ set, reader, state }: AuditParts, changed: WantedTable): Promise<void> {
  const cursor = cursorOf(state);
  if (cursor === undefined || set.changeList === undefined) return;
  try {
    await readChanges(reader, set.changeList, {
      cursor,
      listener: { onChange: (change, order) => changed.put(change, order) },
      hasRanges: state.fact('hasRanges'),
      validator: undefined,
    });
  } catch (error) {
    if (!(error instanceof ChangesMissing)) throw error;
    // Some have no time: each pass applies all of them.
    if (!error.isGap) changed.clear();
  }
}

/** Compares the files of the target with the state. Returns the number of copied resources. */
async function compareFiles(parts: AuditParts, log: DifferenceLog): Promise<number> {
  const { state, onProgress, reader, target } = parts;
  const total = state.totals().count;
  let done = 0;
  let wrongBefore = 0;
  for (let after = 0; ; ) {
    const resources = state.resources(after, READ_AT_ONCE);
    const checked = mapInOrder(resources, target.readsAtOnce, async (known) => ({
      known,
      kind: await compare(parts, known),
    }));
    for await (const { known, kind } of checked) {
      reader.signal.throwIfAborted();
      after = known.id;
      if (known.copied !== undefined) done += 1;
      else if (foundWrong(state, known.uri) !== undefined) wrongBefore += 1;
      if (kind === undefined) continue;
      log.add(kind, known.path);
      if (known.copied !== undefined) fetchAgain(state, known, known.copied, REASONS[kind]);
    }
    onProgress({ step: 'checking', done, total });
    if (resources.length < READ_AT_ONCE) return total + wrongBefore;
  }
}

const REASONS = { missing: 'its file was missing', changed: 'its file was changed in the copy' } as const;

/** Makes the next pass fetch the resource, although its entry has not changed. */
function fetchAgain(state: MirrorState, { id, uri }: KnownResource, copied: CopiedResource, reason: string): void {
  const failed = state.failure(uri);
  // A newer version could not be copied: the next pass tries that one.
  if (failed !== undefined && agrees(copied, JSON.parse(failed.wanted) as WantedResource) === false) return;
  state.setFailure({ uri, reason, wanted: JSON.stringify(wantedAgain(uri, copied)) });
  state.forgetCopied(id);
}

/** The copied version of a resource whose file an earlier audit found wrong, and that no pass has fetched since. */
function foundWrong(state: MirrorState, uri: string): CopiedResource | undefined {
  const failed = state.failure(uri);
  if (failed === undefined || !Object.values<string>(REASONS).includes(failed.reason)) return undefined;
  const { length, hashes, lastmod, stamp, about } = JSON.parse(failed.wanted) as WantedResource;
  return length === undefined ? undefined : { length, hash: formatHashes(hashes), lastmod, stamp, about };
}

async function compare(
  { state, target, rehash }: AuditParts,
  known: KnownResource,
): Promise<'missing' | 'changed' | undefined> {
  const { path, uri } = known;
  const copied = known.copied ?? foundWrong(state, uri);
  if (copied === undefined) return undefined;
  const length = await target.lengthOf(path);
  if (length === undefined) return 'missing';
  if (length !== copied.length) return 'changed';
  // Without `rehash`, only a file that an earlier audit found wrong is hashed: its length may be right.
  if (!rehash && known.copied !== undefined) return undefined;
  const [algorithm, digest] = copied.hash.split(':') as [HashAlgorithm, string];
  return (await hashOf(target, path, algorithm)) === digest ? undefined : 'changed';
}

const wantedAgain = (uri: string, { length, hash, lastmod, stamp, about }: CopiedResource): WantedResource => ({
  uri,
  isDeleted: false,
  length,
  hashes: parseHashes(hash),
  lastmod,
  stamp,
  about,
});

class DifferenceLog {
  count = 0;
  readonly differences: Difference[] = [];

  add(kind: Difference['kind'], name: string): void {
    this.count += 1;
    if (this.differences.length < MOST_DIFFERENCES) this.differences.push({ kind, name });
  }
}
