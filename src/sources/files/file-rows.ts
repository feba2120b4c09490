import type { KeyRange } from '../../core/key.ts';
import { keyOfPath, type ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ContentRoot, FileEntry, RootEntry, RootProblem, SkippedEntries } from '../content-root.ts';
import { KeyCursor, KeyMerge } from '../sync/key-cursor.ts';
import type { FileMemory, RememberedFile } from './file-memory.ts';

/**
 * What is known of one key: at least one of file, resource and memory; or a problem, which hides all keys at and below
 * its path.
 */
export interface FileRow {
  readonly key: ResourceKey;
  readonly file?: FileEntry | undefined;
  readonly resource?: Resource | undefined;
  readonly remembered?: RememberedFile | undefined;
  readonly problem?: RootProblem;
}

interface FileRowsInput {
  readonly set: SetId;
  readonly root: ContentRoot;
  readonly index: ResourceStates;
  readonly memory: FileMemory;
  readonly onSkipped?: (skipped: SkippedEntries) => void;
}

const BATCH = 100;

/** Range of the keys of all local paths: they begin with a slash, and `0` is the character after it. */
const EVERYTHING: KeyRange = { from: '/', to: '0' };

/**
 * Merges the listing of the root, the state and the memory, ascending by key: below a path, or of the whole root for
 * the empty path. Only the batches being compared are in memory.
 */
export async function* fileRows(input: FileRowsInput, under: string): AsyncGenerator<readonly FileRow[]> {
  const files = new KeyCursor(input.root.list(under, input.onSkipped), keyOfEntry);
  const resources = new KeyCursor(readIndex(input, under), keyOf);
  const remembered = new KeyCursor(readMemory(input, under), keyOf);
  const merge = new KeyMerge(files, resources, remembered);
  let rows: FileRow[] = [];
  try {
    for (;;) {
      if (merge.needsBatch) await merge.nextBatches();
      const row = problemAt(files) ?? rowAt(merge.key, { files, resources, remembered });
      if (row !== undefined) rows.push(row);
      if (row === undefined || rows.length === BATCH) {
        yield rows;
        rows = [];
      }
      if (row === undefined) return;
    }
  } finally {
    await merge.close();
  }
}

interface Cursors {
  readonly files: KeyCursor<RootEntry>;
  readonly resources: KeyCursor<Resource>;
  readonly remembered: KeyCursor<RememberedFile>;
}

function rowAt(key: ResourceKey | undefined, { files, resources, remembered }: Cursors): FileRow | undefined {
  if (key === undefined) return undefined;
  return {
    key,
    file: files.takeAt(key) as FileEntry | undefined,
    resource: resources.takeAt(key),
    remembered: remembered.takeAt(key),
  };
}

/** A problem comes before everything that it hides, even where its own key would come later. */
function problemAt(files: KeyCursor<RootEntry>): FileRow | undefined {
  const { item } = files;
  if (item === undefined || !isProblem(item)) return undefined;
  files.step();
  return { key: keyOfEntry(item), problem: item };
}

async function* readIndex({ index, set }: FileRowsInput, under: string): AsyncGenerator<readonly Resource[]> {
  if (under === '') return yield* index.read(set, EVERYTHING);
  const [found] = await index.lookup(set, [keyOfPath(under)]);
  if (found?.state !== undefined) yield [found];
  yield* index.read(set, below(under));
}

async function* readMemory({ memory }: FileRowsInput, under: string): AsyncGenerator<readonly RememberedFile[]> {
  if (under === '') return yield* memory.read(EVERYTHING);
  const key = keyOfPath(under);
  yield* memory.read({ from: key, to: `${key}\0` });
  yield* memory.read(below(under));
}

function below(path: string): KeyRange {
  const key = keyOfPath(path);
  return { from: `${key}/`, to: `${key}0` };
}

function keyOfEntry({ path }: RootEntry): ResourceKey {
  return keyOfPath(path);
}

function keyOf({ key }: { readonly key: ResourceKey }): ResourceKey {
  return key;
}

function isProblem(entry: RootEntry): entry is RootProblem {
  return entry.problem !== undefined;
}
