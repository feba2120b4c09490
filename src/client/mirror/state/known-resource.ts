import { type CopiedResource, decodeAbout, encodeAbout } from '../lists/wanted-resource.ts';

/** The state of a resource in the copy. `copied` is undefined while a resource has a path but no right file. */
export interface KnownResource {
  readonly id: number;
  readonly uri: string;
  readonly path: string;
  readonly copied: CopiedResource | undefined;
  /** The ETag or Last-Modified that the server sent with the bytes, for a conditional request. */
  readonly validator: string | undefined;
}

/** What is compared with the entry of a list. */
export interface ComparedResource extends Pick<KnownResource, 'id' | 'uri'> {
  readonly copied: Omit<CopiedResource, 'about'> | undefined;
  /** As `encodeAbout` returns it. */
  readonly about: string | null;
}

export const KNOWN_COLUMNS = 'id, uri, path, length, hash, lastmod, stamp, validator, about';

export function knownOf(row: readonly unknown[]): KnownResource {
  const [id, uri, path, length, hash, lastmod, stamp, validator, about] = row as readonly [
    ...[number, string, string, ...CopiedRow, string | null, string | null],
  ];
  const copied = copiedOf([length, hash, lastmod, stamp]);
  const known = { id, uri, path, validator: validator ?? undefined };
  return { ...known, copied: copied && { ...copied, about: decodeAbout(about) } };
}

/** What earlier versions recorded, as it is recorded now. */
const asNow = (about: string | null) => (about?.includes('"via":') ? encodeAbout(decodeAbout(about)) : about);

type CopiedRow = readonly [length: number | null, hash: string | null, lastmod: string | null, stamp: number | null];
export type ComparedRow = readonly [id: number, uri: string, about: string | null, ...CopiedRow];

function copiedOf([length, hash, lastmod, stamp]: CopiedRow): CopiedResource | undefined {
  if (length === null || hash === null) return undefined;
  return { length, hash, lastmod: lastmod ?? undefined, stamp: stamp ?? undefined };
}

export function comparedOf([id, uri, about, ...copied]: ComparedRow): ComparedResource {
  return { id, uri, about: asNow(about), copied: copiedOf(copied) };
}
