import { unlessConflict } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { lastUpload } from '../arrivals/record-upload.ts';
import { randomId } from '../arrivals/store-file.ts';
import { type Upload, uploadId } from '../arrivals/upload.ts';

interface ClosedStream {
  readonly organization: string;
  readonly stream: string;
}

/**
 * Takes the number after the last upload, so that none can follow: each upload is put after the one before was read,
 * however late its process is. Returns false when another upload has come since `judged`.
 * @param judged the last upload, as the caller knows it; absent: whichever is the last one
 */
export async function closeStream(
  catalog: Pick<Catalog, 'get' | 'put' | 'latest'>,
  { organization, stream }: ClosedStream,
  judged?: { readonly last: Upload | undefined },
): Promise<boolean> {
  for (;;) {
    const last = judged === undefined ? await lastUpload(catalog, { organization, stream }) : judged.last;
    if (last?.ofRemovedStream) return true;
    const number = (last?.number ?? 0) + 1;
    const closing = removedUpload({ organization, stream, number, received: Date.now() });
    const put = catalog.put('upload', uploadId(organization, stream, number), closing, undefined);
    if ((await unlessConflict(put)) !== undefined) return true;
    if (judged !== undefined) return (await lastUpload(catalog, { organization, stream }))?.ofRemovedStream === true;
  }
}

/** What is kept of an upload of a stream that is removed. */
export function removedUpload({
  organization,
  stream,
  number,
  received,
}: Pick<Upload, 'organization' | 'stream' | 'number' | 'received'>): Upload {
  return { organization, stream, number, received, files: [], token: randomId(), ofRemovedStream: true };
}
