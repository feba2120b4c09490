import { failpoint } from '../../../lib/failpoint.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { lastUpload, putUpload, type RecordingParts, uploadAt } from '../record-upload.ts';
import { harvestFieldsOf, type Upload, type UploadedFile } from '../upload.ts';
import type { ResumableRegistry } from './resumable-registry.ts';
import type { ResumableUpload } from './resumable-upload.ts';

interface Parts extends Pick<RecordingParts, 'onRecorded'> {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly registry: ResumableRegistry;
}

/**
 * Records complete files as an upload exactly once, even if many processes try, or are killed. The number is claimed
 * before the upload is put, so that a later attempt finds it. A claim is replaced only when another upload has that
 * number, so that this upload can no longer get it.
 */
export async function recordResumable(
  parts: Parts,
  resumable: ResumableUpload,
  files: readonly UploadedFile[],
): Promise<Upload> {
  const { catalog, registry } = parts;
  const { organization, id, stream, name, by } = resumable;
  const labels = { ...(name && { name }), ...(by !== undefined && { by }), ...harvestFieldsOf(resumable) };
  const upload = { organization, stream, ...labels, files, token: id };
  let current = resumable;
  for (;;) {
    const { claim } = current;
    const there = claim === undefined ? undefined : await uploadAt(catalog, { ...current, number: claim });
    if (there?.token === id) return there;
    if (claim === undefined || there !== undefined) {
      const next = ((await lastUpload(catalog, current))?.number ?? 0) + 1;
      current = await registry.change(current, { claim: next });
      failpoint('resumable.claimed');
      continue;
    }
    const before = claim === 1 ? undefined : await uploadAt(catalog, { ...current, number: claim - 1 });
    const { received = 0, ofRemovedStream } = before ?? {};
    const last = { number: claim - 1, received, ofRemovedStream };
    const recorded = await putUpload(parts, upload, last);
    if (recorded !== undefined) return recorded;
  }
}
