import { hash } from 'node:crypto';

/** Bytes of a name: what file systems permit. */
const NAME_BYTES = 255;
/** Characters of a percent-encoded path; its URI, with domain and id, has at most 2,048 (core/key.ts). */
const ENCODED_PATH = 1_400;
/** At the top: the manifest of the set is stored as the one, IAS3 reserves the other (d15). */
const RESERVED = new Set(['manifest.json', 'name'].map(comparable));

interface NamedFile {
  /** Relative, without `.`, `..` and empty names. */
  readonly path: string;
  readonly id: string;
}

/**
 * A path for each file: its own, unless it is reserved, too long, used by a file before it, or needed as a folder. Then
 * its id is put before the extension: `data.4711.csv`. Paths that differ in case or Unicode composition alone are one.
 */
export function uniquePaths(files: readonly NamedFile[]): readonly string[] {
  const wanted = files.map(({ path, id }) => shortPath(path, id));
  const folders = new Set(wanted.flatMap(foldersOf).map(comparable));
  const taken = new Set<string>();
  const tries = new Map<string, number>();
  const isFree = (path: string) => ![RESERVED, folders, taken].some((paths) => paths.has(comparable(path)));
  return files.map(({ id }, at) => {
    let path = wanted[at]!;
    while (!isFree(path)) {
      const first = withId(wanted[at]!, id);
      const count = tries.get(first) ?? 0;
      tries.set(first, count + 1);
      path = count === 0 ? first : withId(wanted[at]!, `${id}-${count + 1}`);
    }
    taken.add(comparable(path));
    return path;
  });
}

function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase();
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function shortPath(path: string, id: string): string {
  const names = path.split('/');
  const folders = names.slice(0, -1).map((name, at) => {
    if (at === 0 && RESERVED.has(comparable(name))) return `${name}-folder`;
    return isLong(name) ? withMark(name, hash('sha256', name).slice(0, 8)) : name;
  });
  const file = isLong(names.at(-1)!) ? withMark(names.at(-1)!, id) : names.at(-1)!;
  const short = [...folders, file].join('/');
  if (encodeURIComponent(short).length <= ENCODED_PATH) return short;
  return `${hash('sha256', folders.join('/')).slice(0, 16)}/${file}`;
}

const isLong = (name: string): boolean => Buffer.byteLength(name) > NAME_BYTES;

function withId(path: string, id: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}${withMark(path.slice(at), id)}`;
}

/** A name with a mark before its extension, shortened where it would have too many bytes. */
function withMark(name: string, mark: string): string {
  const [extension = ''] = /(?<=.)\.[^.\s]{1,20}$/u.exec(name) ?? [];
  const end = `.${mark.replace(/[^\w.-]+/g, '-').slice(0, 64)}${extension}`;
  const stem = name.slice(0, name.length - extension.length);
  return `${beginning(stem, NAME_BYTES - Buffer.byteLength(end))}${end}`;
}

/** The characters of a text that fit into so many bytes of UTF-8. */
function beginning(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
