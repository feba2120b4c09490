import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { updateDocument } from '../../stores/update-document.ts';
import { type Upload, uploadsOf } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';
import { StoredDumps } from '../dumps/stored-dumps.ts';
import type { StreamDump } from '../dumps/stored-stream-dump.ts';
import type { StreamName } from '../stream-set-names.ts';
import { removedUpload } from './close-stream.ts';
import { PAGE } from './measure-stream.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
}

/** Number of uploads that are forgotten at the same time. */
const AT_A_TIME = 8;

/**
 * Deletes the files of all uploads of a stream, and replaces the documents of these, which cannot be removed, by ones
 * without names, digests and reasons. Those that an attempt before has replaced are skipped.
 */
export async function forgetUploads(
  { catalog, artifacts }: Parts,
  { organization, stream }: { readonly organization: string; readonly stream: string },
  signal: AbortSignal,
): Promise<void> {
  const wanted = { kind: 'upload', prefix: uploadsOf(organization, stream), limit: PAGE } as const;
  for await (const { documents } of latestPages<Upload>(catalog, wanted)) {
    const left = documents.filter(({ body }) => !body.ofRemovedStream);
    for await (const _ of mapInOrder(left, AT_A_TIME, (upload) => forget({ catalog, artifacts }, upload))) {
      signal.throwIfAborted();
    }
  }
}

/** The state is replaced first: as long as the upload is as it was, another attempt finds all of it. */
async function forget({ catalog, artifacts }: Parts, { id, body }: CatalogDocument<Upload>): Promise<void> {
  const state = await catalog.get<UploadState>('upload-state', id);
  for (const { artifact } of [...body.files, ...(state?.body.fetched ?? [])]) await artifacts.delete(artifact);
  const failure = { at: Date.now(), error: 'its stream was removed', isFinal: true };
  await updateDocument<UploadState>(catalog, { kind: 'upload-state', id }, () => ({ failure }));
  await updateDocument<Upload>(catalog, { kind: 'upload', id }, () => removedUpload(body));
}

/** Replaces the documents of all dumps of a stream by ones that name no files. */
export async function forgetDumps(catalog: Parts['catalog'], name: StreamName): Promise<void> {
  for (const { id, body } of await new StoredDumps(catalog).all(name)) {
    if (body.removed !== undefined && body.files.length === 0) continue;
    await updateDocument<StreamDump>(catalog, { kind: 'stream-dump', id }, () => ({
      ...body,
      files: [],
      removed: body.removed ?? Date.now(),
    }));
  }
}
