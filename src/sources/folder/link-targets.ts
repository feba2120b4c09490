import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from './within.ts';

/** Most links that are followed for one link, as on Linux: more are taken for a loop. */
const MOST_LINKS = 40;

/**
 * Maps the paths of a root to the links that lead to them or through them, so that a change of a path is reported for
 * its links too. Entries are never removed: reporting too much is harmless.
 */
export class LinkTargets {
  readonly #realRoot: string;
  readonly #links = new Map<string, Set<string>>();
  /** The folders that have a path of the map below them. */
  readonly #folders = new Set<string>();
  readonly #toLearn = new Set<string>();

  constructor(root: string) {
    this.#realRoot = realpathSync.native(root);
  }

  /**
   * Learns where a link leads, when that is next needed. Not at once: what changes after it was learned must be
   * reported, and the folders that it leads through may not be watched yet.
   */
  learn(link: string): void {
    this.#toLearn.add(link);
  }

  /**
   * The links that lead to or through a path or, with `below`, anything at or below it. With `below` they are learned
   * again, unless nothing or a file is there now: no link leads elsewhere through these.
   */
  of(path: string, below: boolean): ReadonlySet<string> {
    this.#learnAll();
    const found = new Set(this.#links.get(path));
    if (!below) return found;
    if (this.#folders.has(path)) {
      for (const [target, links] of this.#links) {
        if (target.startsWith(`${path}/`)) for (const link of links) found.add(link);
      }
    }
    if (found.size > 0 && leadsOn(join(this.#realRoot, path))) for (const link of found) this.learn(link);
    return found;
  }

  #learnAll(): void {
    const texts = new LinkTexts();
    for (const link of this.#toLearn) this.#follow(link, texts);
    this.#toLearn.clear();
  }

  /**
   * Records every link on the way of a link, and the path at its end. The way ends early where nothing exists: the rest
   * is learned when something is created there.
   */
  #follow(link: string, texts: LinkTexts): void {
    // Links to folders are not watched, so the folder of the link has its real path.
    let at = join(this.#realRoot, dirname(link));
    const names = [basename(link)];
    for (let links = 0; names.length > 0; ) {
      const name = names.pop()!;
      if (name === '..') at = dirname(at);
      if (name === '' || name === '.' || name === '..') continue;
      const path = at === '/' ? `/${name}` : `${at}/${name}`;
      const text = links === 0 ? readLink(path) : texts.of(path);
      if (text === '') at = path;
      else {
        this.#put(path, link);
        links += 1;
        if (text === undefined || links > MOST_LINKS) return;
        if (text.startsWith('/')) at = '/';
        names.push(...text.split('/').reverse());
      }
    }
    this.#put(at, link);
  }

  /** @param path absolute, without links but for its last name */
  #put(path: string, link: string): void {
    if (!isWithin(this.#realRoot, path)) return;
    const inRoot = path.slice(this.#realRoot.length).replace(/^\//, '');
    if (inRoot === link) return;
    const links = this.#links.get(inRoot);
    if (links !== undefined) {
      links.add(link);
      return;
    }
    this.#links.set(inRoot, new Set([link]));
    for (let above = dirname(inRoot); above !== '.' && !this.#folders.has(above); above = dirname(above)) {
      this.#folders.add(above);
    }
  }
}

/** The texts of links: empty for a file or a folder, undefined where nothing exists. */
class LinkTexts {
  readonly #known = new Map<string, string | undefined>();

  of(path: string): string | undefined {
    if (!this.#known.has(path)) this.#known.set(path, textOf(path));
    return this.#known.get(path);
  }
}

function textOf(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return readlinkSync(path);
    return stats && '';
  } catch {
    return undefined;
  }
}

/** Whether a link may lead through a path to another one. */
function leadsOn(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && !stats.isFile();
  } catch {
    return true;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
