import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from './within.ts';

/**
 * Maps the paths of a root to the links that point to them, so that a change of a file is reported for its links too.
 * Entries are never removed: reporting too much is harmless.
 */
export class LinkTargets {
  readonly #root: string;
  readonly #realRoot: string;
  readonly #links = new Map<string, Set<string>>();

  constructor(root: string) {
    this.#root = root;
    this.#realRoot = realpathSync.native(root);
  }

  learn(link: string): void {
    const target = this.#targetOf(join(this.#root, link));
    if (target === undefined || !isWithin(this.#realRoot, target)) return;
    const path = target.slice(this.#realRoot.length).replace(/^\//, '');
    this.#links.set(path, (this.#links.get(path) ?? new Set()).add(link));
  }

  /** The links to a path or, with `below`, to anything at or below it. */
  of(path: string, below: boolean): readonly string[] {
    if (this.#links.size === 0) return [];
    if (!below) return [...(this.#links.get(path) ?? [])];
    return [...this.#links].flatMap(([target, links]) =>
      target === path || target.startsWith(`${path}/`) ? [...links] : [],
    );
  }

  #targetOf(link: string): string | undefined {
    try {
      return realpathSync.native(link);
    } catch {
      // The target does not exist yet: its future path is worth watching.
      return nextTarget(link);
    }
  }
}

function nextTarget(link: string): string | undefined {
  try {
    return resolve(dirname(link), readlinkSync(link));
  } catch {
    return undefined;
  }
}
