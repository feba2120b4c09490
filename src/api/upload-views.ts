import { shownUrl, type Upload } from '../streams/uploads/upload.ts';
import type { ListedUploads, UploadPage } from '../streams/uploads/uploads.ts';
import type { UploadsView, UploadView } from './upload-schemas.ts';

export function uploadView({ organization, stream, number, received, name, url: from, files }: Upload): UploadView {
  const url = `organizations/${organization}/uploads/${stream}/${number}`;
  return {
    organization,
    stream,
    number,
    received: new Date(received).toISOString(),
    ...(name !== undefined && { name }),
    ...(from !== undefined && { fileUrl: shownUrl(from) }),
    files: files.map(({ name, length, sha256 }, at) => ({ name, length, sha256, url: `${url}/files/${at + 1}` })),
  };
}

export function uploadsView(
  organization: string,
  { stream, uploads }: ListedUploads,
  { limit }: UploadPage,
): UploadsView {
  const last = uploads.at(-1)?.number ?? 1;
  return {
    organization,
    ...(stream !== undefined && { stream }),
    uploads: uploads.map(uploadView),
    ...(uploads.length === limit && last > 1 && { next: last }),
  };
}
