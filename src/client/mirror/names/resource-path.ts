import { decoded, digestOf, OTHERS, safeName, withSuffix } from './safe-name.ts';

/** The names in use. Paths are folded. */
export interface TakenNames {
  /** Folds a path: the result is equal for paths that are the same one where the copy is. */
  fold(path: string): string;
  /** Whether a resource has this path. */
  hasFile(folded: string): boolean;
  /** Whether a resource has this path, or one below it. */
  has(folded: string): boolean;
}

const MOST_BYTES = 1_000;
const MOST_PARTS = 60;
/** The scheme, and a login, which is no part of a name. */
const BEFORE_HOST = /^[a-z][a-z0-9+.-]*:(?:\/\/(?:[^/?#]*@)?)?\/*/i;

/**
 * The longest common prefix of all URIs of a set that ends with a slash: paths below it are short. Empty when the URIs
 * have different hosts.
 * @param before the prefix until now; undefined for the first URI
 */
export function commonPrefix(before: string | undefined, uri: string): string {
  // A prefix has no query or fragment.
  if (before !== undefined && uri.startsWith(before)) return before;
  const path = uri.replace(/[?#].*$/su, '');
  if (before === undefined) return upToSlash(path);
  let at = 0;
  while (at < before.length && before[at] === path[at]) at++;
  return upToSlash(before.slice(0, at));
}

/** The path of a resource unless another resource blocks it. Relative, with slashes. */
export function preferredPath(uri: string, prefix: string): string {
  const parts = partsOf(uri, prefix);
  const named = parts.map(safeName).join('/');
  return parts.length > MOST_PARTS || Buffer.byteLength(named) > MOST_BYTES ? lastResort(uri) : named;
}

/** Whether a path is another one than the decoded path of the URI. */
export const isRenamed = (uri: string, prefix: string, path: string): boolean =>
  partsOf(uri, prefix).map(decoded).join('/') !== path;

function partsOf(uri: string, prefix: string): string[] {
  const isBelow = prefix !== '' && uri.startsWith(prefix);
  // Outside the prefix, the name of the host is the first folder.
  const text = isBelow ? uri.slice(prefix.length) : uri.replace(BEFORE_HOST, '');
  const end = text.search(/[?#]/);
  const path = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? '' : text.slice(end).replaceAll('/', '%2F');
  const parts = path.split('/');
  parts.push(parts.pop()! + rest);
  return parts;
}

/**
 * The path of a new resource. It differs from all others where the copy is, and never needs a folder where another
 * resource has a file, or the reverse.
 */
export function freePath(uri: string, prefix: string, taken: TakenNames): string {
  const preferred = preferredPath(uri, prefix);
  const parts = preferred.split('/');
  const name = parts.pop()!;
  const folders: string[] = [];
  for (const part of parts) {
    const folder = [...folders, part].join('/');
    folders.push(taken.hasFile(taken.fold(folder)) ? withSuffix(part, digestOf(`${folder}/`, 8)) : part);
  }
  const path = [...folders, name].join('/');
  if (isFree(path, taken)) return path;
  const other = [...folders, withSuffix(name, digestOf(uri, 8))].join('/');
  return isFree(other, taken) ? other : lastResort(uri);
}

function isFree(path: string, taken: TakenNames): boolean {
  const folded = taken.fold(path);
  if (taken.has(folded)) return false;
  for (let at = folded.indexOf('/'); at >= 0; at = folded.indexOf('/', at + 1)) {
    if (taken.hasFile(folded.slice(0, at))) return false;
  }
  return true;
}

/** Two levels of folders and a digest, so that no folder gets millions of files. */
function lastResort(uri: string): string {
  const digest = digestOf(uri, 64);
  return `${OTHERS}/${digest.slice(0, 2)}/${digest}`;
}

function upToSlash(text: string): string {
  const prefix = text.slice(0, text.lastIndexOf('/') + 1);
  // The prefix needs a host and the slash after it.
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]+\//i.test(prefix) ? prefix : '';
}
