import { isTidemarkError } from '../../core/errors.ts';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import type { ResourceKey } from '../../core/key.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceState } from '../../core/resource.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import type { ContentRoot, RootFile } from '../content-root.ts';
import type { CompareOptions, Mismatch } from '../source.ts';
import { FileClassifier } from './classify-file.ts';
import type { ComparedFiles } from './compare-files.ts';
import type { FileMemory } from './file-memory.ts';
import { type FileRow, fileRows } from './file-rows.ts';
import { lastmodOf } from './file-times.ts';

/** Remembers nothing, so that every file is read. */
const NO_MEMORY: FileMemory = { read: () => [], update: () => {} };

/** Reads every file of a root, and compares each with its state. */
export async function* verifyFiles(
  { set, index, root }: ComparedFiles,
  { counter, signal }: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  const classifier = new FileClassifier({ set, rehash: true, hashes: root.hashes, now: Date.now() });
  const place = traitsOf(set.origin).bucket === undefined ? 'folder' : 'bucket';
  for await (const rows of fileRows({ set: set.id, index, root, memory: NO_MEMORY }, '')) {
    for (const row of rows) {
      signal?.throwIfAborted();
      const mismatch = await mismatchOf(row, { classifier, root, counter, place });
      if (mismatch !== undefined) yield [mismatch];
    }
  }
}

interface VerifyParts extends Pick<CompareOptions, 'counter'> {
  readonly classifier: FileClassifier;
  readonly root: ContentRoot;
  /** The word for the root in messages. */
  readonly place: 'folder' | 'bucket';
}

async function mismatchOf(row: FileRow, parts: VerifyParts): Promise<Mismatch | undefined> {
  const { key, resource } = row;
  const { classifier, counter, root, place } = parts;
  const action = classifier.classify(row);
  switch (action.todo) {
    case 'report':
      return { kind: 'unreadable', key, message: action.problem.problem };
    case 'delete':
      return { kind: 'missing', key, message: `is published, and is not in the ${place}` };
    case 'hash':
      counter.file();
      return compareFile({ key, path: action.file.path, state: resource?.state, root, place });
    case 'nothing':
    case 'remember':
    case 'forget':
      return undefined;
  }
}

interface FileToCompare extends Pick<VerifyParts, 'root' | 'place'> {
  readonly key: ResourceKey;
  readonly path: string;
  readonly state: ResourceState | undefined;
}

async function compareFile({ key, path, state, root, place }: FileToCompare): Promise<Mismatch | undefined> {
  if (state === undefined) return { kind: 'extra', key, message: `is in the ${place}, and is not published` };
  try {
    const wrong = await wrongFields(await root.open(path), state);
    return wrong.length === 0 ? undefined : { kind: 'differing', key, message: `differs in ${wrong.join(', ')}` };
  } catch (error) {
    if (!isTidemarkError(error)) throw error;
    return { kind: error.code === 'not-found' ? 'missing' : 'unreadable', key, message: error.message };
  }
}

async function wrongFields(
  file: RootFile,
  { length, lastmod, hashes = {} }: ResourceState,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  if (length !== file.length) wrong.push('length');
  if (lastmod !== lastmodOf(file.mtime, Date.now())) wrong.push('lastmod');
  const algorithms = Object.keys(hashes) as HashAlgorithm[];
  const actual = await hashesOf(file, algorithms);
  return [...wrong, ...algorithms.filter((algorithm) => actual[algorithm] !== hashes[algorithm])];
}

async function hashesOf(file: RootFile, algorithms: readonly HashAlgorithm[]): Promise<Hashes> {
  const running = new RunningHashes(algorithms);
  for await (const chunk of file.stream()) running.update(chunk);
  return running.digest();
}
