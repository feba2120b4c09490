import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { collect } from './builders.ts';

interface KeptVersion {
  readonly digest: string;
  readonly bytes: Buffer;
  /** The object that has it: its own, or a pack. */
  readonly key: string;
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** All versions of a set in an artifact store, read as another program would: from the files and the ZIP files. */
export async function keptVersions(
  artifacts: Pick<ArtifactStore, 'list' | 'get'>,
  set = 1,
): Promise<readonly KeptVersion[]> {
  const found: KeptVersion[] = [];
  for (const { key } of await collect(artifacts.list(`_versions/${set}/`))) {
    const bytes = await buffer((await artifacts.get(key)).body);
    if (key.endsWith('.zip')) found.push(...(await versionsIn(bytes)).map((version) => ({ ...version, key })));
    else found.push({ digest: key.slice(-64), bytes, key });
  }
  for (const { digest, bytes, key } of found) assert.equal(sha256(bytes), digest, key);
  return found;
}

async function versionsIn(pack: Buffer): Promise<readonly Omit<KeptVersion, 'key'>[]> {
  const zip = await fromBufferPromise(pack);
  const versions: Omit<KeptVersion, 'key'>[] = [];
  for await (const entry of zip.eachEntry()) {
    versions.push({ digest: entry.fileName, bytes: await buffer(await zip.openReadStreamPromise(entry)) });
  }
  return versions;
}
