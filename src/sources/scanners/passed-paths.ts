import type { SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { updateDocument } from '../../stores/update-document.ts';
import { type PassedPaths, passedPathsId } from './scanners-follower.ts';

/** Most paths of a set that wait; of more, the whole root is scanned. */
const MOST_PATHS = 20_000;

/** Stores paths for the process that scans the set, durably. */
export async function passPaths(catalog: Catalog, set: SetId, paths: readonly string[]): Promise<void> {
  await updateDocument<PassedPaths>(catalog, { kind: 'scanners', id: passedPathsId(set) }, (before) => {
    const number = (before?.last ?? 0) + 1;
    const waiting = [...(before?.waiting ?? []), { number, paths }];
    const count = waiting.reduce((sum, one) => sum + one.paths.length, 0);
    return { last: number, waiting: count > MOST_PATHS ? [{ number, paths: [''] }] : waiting };
  });
}

/** The paths that wait, each once. */
export function pathsOf({ waiting }: PassedPaths): readonly string[] {
  return [...new Set(waiting.flatMap(({ paths }) => paths))];
}

/** Takes out what has been scanned, and leaves what was added since. */
export async function removePassed(catalog: Catalog, set: SetId, scanned: PassedPaths): Promise<void> {
  await updateDocument<PassedPaths>(catalog, { kind: 'scanners', id: passedPathsId(set) }, (before = scanned) => ({
    ...before,
    waiting: before.waiting.filter(({ number }) => number > scanned.last),
  }));
}
