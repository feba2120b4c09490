import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { EntryStyle } from '../render/documents/entry.ts';
import { resourceEntries } from '../render/documents/resource-list.ts';
import type { KeptPage } from './list-manifest.ts';
import { statesAt } from './states-at.ts';

/** A page of a list to keep. Plain values, so that another thread can receive them. */
export interface KeepPageJob {
  readonly set: SetId;
  readonly page: string;
  readonly version: Stamp;
  readonly range: KeyRange;
  /** The time of the list. */
  readonly at: Stamp;
  readonly style: EntryStyle;
}

/**
 * Stores the entries of a page as of the time of its list, without head and end: those differ between lists, while an
 * unchanged page belongs to several lists.
 */
export async function keepPage(
  { set, page, version, range, at, style }: KeepPageJob,
  { index, artifacts }: { readonly index: ResourceIndex; readonly artifacts: ArtifactStore },
): Promise<KeptPage> {
  const name = `${page}-${version}-${randomBytes(4).toString('hex')}`;
  let resources = 0;
  async function* entries(): AsyncGenerator<string> {
    for await (const batch of statesAt(index, { set, range, at })) {
      resources += batch.length;
      yield resourceEntries(batch, style);
    }
  }
  const packed = createGzip();
  const packing = pipeline(Readable.from(entries()), packed);
  // The artifact store reports the error; without this handler, an error before it reads would end the process.
  packing.catch(() => {});
  await putArtifact(artifacts, { kind: 'kept-page', set, name }, packed, { hashes: ['sha-256'] });
  await packing;
  return { name, resources };
}

/** The entries of a kept page as text. @throws TidemarkError `not-found` when another program has deleted it */
export async function* readKeptPage(
  artifacts: Pick<ArtifactStore, 'get'>,
  set: SetId,
  name: string,
): AsyncGenerator<string> {
  const { body } = await artifacts.get(formatKey({ kind: 'kept-page', set, name }));
  const text = createGunzip().setEncoding('utf8');
  const unpacking = pipeline(body, text);
  unpacking.catch(() => {});
  yield* text;
  await unpacking;
}
