import type { ResourceState } from '../../../core/resource.ts';
import { type Upload, type UploadedFile, uploadId, uploadsOf } from '../../../records/arrivals/upload.ts';
import { filesOf, type UploadState } from '../../../records/arrivals/upload-state.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { latestPages } from '../../../stores/latest-pages.ts';
import { mediaTypeOf } from '../../media-type-by-name.ts';
import { type DeliveredFile, type Deliveries, type Delivery, keyOfFile, numberText } from './delivered-files.ts';
import { wholeArtifact } from './whole-artifact.ts';

/** Number of uploads that are read at a time: each has up to 1,000 files. */
const PAGE = 25;
/** Digits of the position of a file, so that keys sort in the order in which files arrived. */
const POSITION_DIGITS = 4;

/** The files of the uploads of a stream as they arrived, including those with problems, as long as they are kept. */
export function uploadedFiles(
  catalog: Pick<Catalog, 'get' | 'latest'>,
  { organization, stream }: { readonly organization: string; readonly stream: string },
): Deliveries {
  const prefix = uploadsOf(organization, stream);
  return {
    async *pages() {
      const pages = latestPages<Upload>(catalog, { kind: 'upload', prefix, limit: PAGE });
      for await (const { documents, before } of pages) {
        const states = await catalog.latest<UploadState>('upload-state', prefix, { before, limit: PAGE });
        const stateOf = new Map(states.map(({ id, body }) => [id, body]));
        yield await Promise.all(documents.map(({ id, body }) => deliveryOf(body, stateOf.get(id))));
      }
    },

    async at(number) {
      const id = uploadId(organization, stream, number);
      const upload = (await catalog.get<Upload>('upload', id))?.body;
      if (upload === undefined) return [];
      const state = await catalog.get<UploadState>('upload-state', id);
      return (await deliveryOf(upload, state?.body)).files;
    },
  };
}

async function deliveryOf(upload: Upload, state: UploadState | undefined): Promise<Delivery> {
  const { number, received } = upload;
  const kept = state?.originalsRemoved === undefined ? filesOf(upload, state) : [];
  const files = kept.map(async (file, at): Promise<DeliveredFile> => {
    const position = String(at + 1).padStart(POSITION_DIGITS, '0');
    return { key: keyOfFile([numberText(number), position, file.name]), state: await stateOf(file, received) };
  });
  return { number, files: await Promise.all(files) };
}

async function stateOf({ name, length, sha256, artifact }: UploadedFile, received: number): Promise<ResourceState> {
  // By its name: the type detected from the content is known only later, and is shown with the upload.
  const mime = await mediaTypeOf(name);
  return wholeArtifact({ artifact, length, sha256, mime, at: received });
}
