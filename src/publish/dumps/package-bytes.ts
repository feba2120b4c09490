import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ArtifactKey, formatKey, parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectRange } from '../../artifacts/artifact-store.ts';
import { openCompared } from '../../artifacts/open-compared.ts';
import type { Package } from './stored-dump.ts';

type PackageKey = Extract<ArtifactKey, { readonly kind: 'package' | 'change-package' }>;
type Reads = Pick<ArtifactStore, 'get'>;

const inflate = promisify<Buffer, Buffer>(inflateRaw);

/**
 * A range of the bytes of a package; a small one is compared with its digest.
 * @throws TidemarkError `not-found` when another program has deleted it; `unavailable` when it is damaged
 */
export async function openPackage(
  artifacts: Reads,
  { key, length, sha256 }: { readonly key: PackageKey } & Pick<Package, 'length' | 'sha256'>,
  range: ObjectRange,
): Promise<Readable> {
  return (await openCompared(artifacts, { key: formatKey(key), length, sha256 }, range)).body;
}

/** The manifest in a package. It is never larger than a document may be. */
export async function readPackedManifest(
  artifacts: Reads,
  key: PackageKey,
  { offset: start, packed, length }: Package['manifest'],
): Promise<Buffer> {
  const { body } = await artifacts.get(formatKey(key), { range: { start, length: packed } });
  const bytes = await buffer(body);
  return packed === length ? bytes : inflate(bytes);
}

/** The name of the package with a key; undefined for another object. */
export function packageNameOf(key: string, kind: PackageKey['kind']): string | undefined {
  const parsed = parseKey(key);
  return parsed?.kind === kind ? parsed.name : undefined;
}
