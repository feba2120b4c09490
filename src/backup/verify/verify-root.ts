import { createHash } from 'node:crypto';
import { isTidemarkError } from '../../core/errors.ts';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ContentRoot, RootFile } from '../../sources/content-root.ts';
import type { FileMemory } from '../../sources/file-memory.ts';
import { Judge, lastmodOf } from '../../sources/sync/scan-judgement.ts';
import { scanRows } from '../../sources/sync/scan-rows.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { Difference, DifferenceList } from './differences.ts';

export interface RootInput {
  readonly set: ResourceSet;
  readonly index: ResourceIndex;
  readonly root: ContentRoot;
  readonly differences: DifferenceList;
  /** Called for every file, with how many there were. */
  readonly onProgress: (done: number) => void;
}

/** Every file is read, whatever scans remember of it. */
const NO_MEMORY: FileMemory = { read: () => [], update: () => {} };

/** Reads every file of the root, and holds it against its state. Returns how many files there are. */
export async function verifyRoot({ set, index, root, differences, onProgress }: RootInput): Promise<number> {
  const judge = new Judge({ set, rehash: true, hashes: root.hashes, now: Date.now() });
  let files = 0;
  for await (const rows of scanRows({ set: set.id, index, root, memory: NO_MEMORY }, '')) {
    for (const row of rows) {
      const { key, resource } = row;
      const judgement = judge.judge(row);
      if (judgement.todo === 'report') {
        differences.add({ kind: 'unreadable', key, message: judgement.problem.problem });
      } else if (judgement.todo === 'delete') {
        differences.add({ kind: 'missing', key, message: 'is published, and is not in the folder' });
      } else if (judgement.todo === 'hash') {
        const difference = await compareFile({ key, path: judgement.file.path, state: resource?.state, root });
        if (difference !== undefined) differences.add(difference);
        onProgress(++files);
      }
    }
  }
  return files;
}

interface FileToCompare {
  readonly key: ResourceKey;
  readonly path: string;
  readonly state: ResourceState | undefined;
  readonly root: ContentRoot;
}

async function compareFile({ key, path, state, root }: FileToCompare): Promise<Difference | undefined> {
  if (state === undefined) return { kind: 'extra', key, message: 'is in the folder, and is not published' };
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
  const running = algorithms.map((algorithm) => [algorithm, createHash(algorithm.replace('-', ''))] as const);
  for await (const chunk of file.stream()) for (const [, hash] of running) hash.update(chunk);
  return Object.fromEntries(running.map(([algorithm, hash]) => [algorithm, hash.digest('hex')]));
}
