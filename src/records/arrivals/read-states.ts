import type { Catalog } from '../../stores/catalog.ts';
import { type NamedUpload, uploadId, uploadsOf } from './upload.ts';
import type { UploadState } from './upload-state.ts';

/** The states of uploads of one stream, by number. The numbers are consecutive, so one read returns them all. */
export async function readUploadStates(
  catalog: Pick<Catalog, 'latest'>,
  uploads: readonly NamedUpload[],
): Promise<ReadonlyMap<number, UploadState>> {
  const [first] = uploads;
  if (first === undefined) return new Map();
  const { organization, stream } = first;
  const highest = Math.max(...uploads.map(({ number }) => number));
  const before = uploadId(organization, stream, highest + 1);
  const prefix = uploadsOf(organization, stream);
  const found = await catalog.latest<UploadState>('upload-state', prefix, { before, limit: uploads.length });
  return new Map(found.map(({ id, body }) => [Number(id.slice(prefix.length)), body]));
}
