import type { PlatformFile } from '../../manifest.ts';

/** What archive.org itself writes into each item, after the name of the item. */
const OF_ITEM = ['_files.xml', '_meta.xml', '_meta.sqlite', '_reviews.xml', '_archive.torrent'];
/** `name` is reserved by IAS3; `history/` has earlier versions. */
const RESERVED = /^(?:name|__ia_thumb\.jpg|history(?:\/.*)?)$/i;

/** Where a file is in an item: at its path, unless archive.org has that for itself; then with `_` before it. */
export function itemPath(file: Pick<PlatformFile, 'path'>, item: string, files: readonly PlatformFile[]): string {
  let path = file.path;
  if (!isReserved(path, item)) return path;
  const taken = new Set(files.map((other) => other.path.toLowerCase()));
  do path = `_${path}`;
  while (taken.has(path.toLowerCase()) || isReserved(path, item));
  return path;
}

function isReserved(path: string, item: string): boolean {
  return RESERVED.test(path) || OF_ITEM.some((ending) => path.toLowerCase() === (item + ending).toLowerCase());
}
