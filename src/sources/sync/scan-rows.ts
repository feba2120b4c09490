import type { KeyRange } from '../../core/key.ts';
import { keyOfPath, type ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { ContentRoot, FileEntry, RootEntry, RootProblem } from '../content-root.ts';
import type { FileMemory, RememberedFile } from '../file-memory.ts';
import { KeyCursor } from './scan-cursor.ts';

/** What is known at one key; at least one of them is there. Or a problem, which tells of no key but hides those at and below its path. */
export interface ScanRow {
  readonly key: ResourceKey;
  readonly file?: FileEntry | undefined;
  readonly resource?: Resource | undefined;
  readonly remembered?: RememberedFile | undefined;
  readonly problem?: RootProblem;
}

export interface ScanSources {
  readonly set: SetId;
  readonly root: ContentRoot;
  readonly index: ResourceIndex;
  readonly memory: FileMemory;
}

const BATCH = 100;

/** Every key of a local path: they begin with a slash, and `0` is the character after it. */
const EVERYTHING: KeyRange = { from: '/', to: '0' };

/**
 * Walks the root, the state and the memory side by side, ascending by key; below a path, or everywhere for the empty one.
 * Only what is looked at is in memory.
 */
export async function* scanRows(sources: ScanSources, under: string): AsyncGenerator<readonly ScanRow[]> {
  const files = new KeyCursor(sources.root.list(under), keyOfEntry);
  const resources = new KeyCursor(readIndex(sources, under), keyOf);
  const remembered = new KeyCursor(readMemory(sources, under), keyOf);
  let rows: ScanRow[] = [];
  try {
    for (;;) {
      for (const cursor of [files, resources, remembered]) if (cursor.needsBatch) await cursor.nextBatch();
      const row = takeRow(files, resources, remembered);
      if (row !== undefined) rows.push(row);
      if (row === undefined || rows.length === BATCH) {
        yield rows;
        rows = [];
      }
      if (row === undefined) return;
    }
  } finally {
    for (const cursor of [files, resources, remembered]) await cursor.close();
  }
}

function takeRow(
  files: KeyCursor<RootEntry>,
  resources: KeyCursor<Resource>,
  remembered: KeyCursor<RememberedFile>,
): ScanRow | undefined {
  // A problem comes before everything that it hides, whatever its own place would be.
  if (files.item !== undefined && isProblem(files.item)) {
    const problem = files.item;
    files.step();
    return { key: keyOfEntry(problem), problem };
  }
  const key = least(least(files.key, resources.key), remembered.key);
  if (key === undefined) return undefined;
  return {
    key,
    file: files.takeAt(key) as FileEntry | undefined,
    resource: resources.takeAt(key),
    remembered: remembered.takeAt(key),
  };
}

function least(a: ResourceKey | undefined, b: ResourceKey | undefined): ResourceKey | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

async function* readIndex({ index, set }: ScanSources, under: string): AsyncGenerator<readonly Resource[]> {
  if (under === '') return yield* index.read(set, EVERYTHING);
  const [found] = await index.lookup(set, [keyOfPath(under)]);
  if (found?.state !== undefined) yield [found];
  yield* index.read(set, below(under));
}

async function* readMemory({ memory }: ScanSources, under: string): AsyncGenerator<readonly RememberedFile[]> {
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
