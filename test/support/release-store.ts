import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { versionTag } from '../../src/sources/folder/version-tag.ts';
import { BASE_URL, type FileState, TOKEN } from '../fixtures/store-place.ts';
import type { ExpectedRelease } from '../fixtures/write-more.ts';
import type { StoreKind, StorePlace } from './each-store.ts';
import { FIXTURES, placeOlderStore } from './older-store.ts';

export type Release = '93c343c7' | 'c01fc594' | '187aaf86' | '5391d3fe';

/** The releases with a store of each kind. */
export const RELEASES = {
  sqlite: ['93c343c7', 'c01fc594', '187aaf86', '5391d3fe'],
  elasticsearch: ['187aaf86', '5391d3fe'],
} as const satisfies Readonly<Record<StoreKind['kind'], readonly Release[]>>;

/** The settings with which the stores of the releases were written. */
export const SERVED = {
  TIDEMARK_TOKEN: TOKEN,
  TIDEMARK_BASE_URL: BASE_URL,
  TIDEMARK_HUB: 'inside',
  TIDEMARK_SUBSCRIBER_NETWORKS: '127.0.0.1',
  TIDEMARK_HARVEST_NETWORKS: '127.0.0.1',
  TIDEMARK_DATASET_NETWORKS: '127.0.0.1',
};

/** Puts the store of a release into a place, and returns what its own program answered. */
export async function placeRelease(release: Release, place: StorePlace, folder: string): Promise<ExpectedRelease> {
  await placeOlderStore(release, place, folder);
  const { kind } = place.location;
  const packed = readFileSync(join(FIXTURES, `store-${release}`, `${kind}-expected.json.gz`));
  const text = gunzipSync(packed).toString().replaceAll(`/tmp/tidemark-${release}/${kind}`, folder);
  const expected: ExpectedRelease = JSON.parse(text);
  rememberFiles(folder, expected.files);
  return expected;
}

/**
 * Changes what scans remember as if they had read the files at this place: an archive keeps neither their ctimes nor
 * their inodes. @param then what the file system said of the files, by their paths in the place
 */
export function rememberFiles(folder: string, then: Readonly<Record<string, FileState>>): void {
  for (const name of readdirSync(join(folder, 'data/roots')).filter((name) => name.endsWith('.db'))) {
    const memory = new DatabaseSync(join(folder, 'data/roots', name));
    const { path } = memory.prepare('SELECT path FROM root').get() as { readonly path: string };
    const [, set] = /\/([^/]+) in epoch /.exec(path)!;
    memory.prepare('UPDATE root SET path = ?').run(path.replace(/^.*\/(?=[^/]+ in epoch )/, `${folder}/`));
    // A file is remembered without a tag when it was read later than it was changed.
    memory.prepare('UPDATE files SET scanned = ? WHERE tag IS NULL').run(BigInt(Date.now() + 10_000) * 1_000_000n);
    for (const { key, tag } of memory.prepare('SELECT key, tag FROM files WHERE tag IS NOT NULL').all()) {
      const file = `${set}${decodeURIComponent(key as string)}`;
      const { ctimeNs, ino } = then[file]!;
      const here = join(folder, file);
      const known = `${BigInt(ctimeNs).toString(36)}-${BigInt(ino).toString(36)}`;
      const now = (tag as string).replace(known, versionTag(statSync(here, { bigint: true }), here));
      memory.prepare('UPDATE files SET tag = ? WHERE key = ?').run(now, key!);
    }
    memory.close();
  }
}
