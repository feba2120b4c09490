import { unlessConflict } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { beingRemoved } from '../organization.ts';
import { type NamedUpload, type NewUpload, type Upload, uploadId, uploadsOf } from './upload.ts';

export interface RecordingParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  /** Called when the upload is recorded. Its errors are ignored: the upload is found later. */
  onRecorded?(upload: Upload): Promise<unknown>;
}

/**
 * Records an upload under the next number of its stream. The document of a number is put only after reading that of the
 * number before, so there are no gaps. When the last upload has the token, an earlier attempt has recorded it.
 */
export async function recordUpload(parts: RecordingParts, upload: NewUpload): Promise<Upload> {
  for (;;) {
    const last = await lastUpload(parts.catalog, upload);
    if (last?.token === upload.token) return last;
    const recorded = await putUpload(parts, upload, last);
    if (recorded !== undefined) return recorded;
  }
}

/**
 * Puts an upload after the last one; undefined when another upload has taken that number. An earlier attempt for the
 * same upload may have taken it, whose response was lost.
 * @throws TidemarkError `conflict` when the stream was removed
 */
export async function putUpload(
  { catalog, onRecorded }: RecordingParts,
  upload: NewUpload,
  last: Pick<Upload, 'number' | 'received' | 'ofRemovedStream'> | undefined,
): Promise<Upload | undefined> {
  if (last?.ofRemovedStream) throw beingRemoved(upload.organization, upload.stream);
  const number = (last?.number ?? 0) + 1;
  const numbered: Upload = { ...upload, number, received: Math.max(Date.now(), (last?.received ?? 0) + 1) };
  const id = uploadId(upload.organization, upload.stream, number);
  if ((await unlessConflict(catalog.put('upload', id, numbered, undefined))) === undefined) {
    const stored = await uploadAt(catalog, numbered);
    return stored?.token === upload.token ? stored : undefined;
  }
  failpoint('upload.recorded');
  await onRecorded?.(numbered).catch(() => {});
  return numbered;
}

/** The upload of a stream with a number, if there is one. */
export async function uploadAt(
  catalog: Pick<Catalog, 'get'>,
  { organization, stream, number }: NamedUpload,
): Promise<Upload | undefined> {
  return (await catalog.get<Upload>('upload', uploadId(organization, stream, number)))?.body;
}

/** The upload of a stream with the highest number. */
export async function lastUpload(
  catalog: Pick<Catalog, 'latest'>,
  { organization, stream }: Pick<Upload, 'organization' | 'stream'>,
): Promise<Upload | undefined> {
  return (await catalog.latest<Upload>('upload', uploadsOf(organization, stream), { limit: 1 }))[0]?.body;
}
