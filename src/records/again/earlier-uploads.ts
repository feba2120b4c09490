import type { Catalog } from '../../stores/catalog.ts';
import { lastUpload } from '../arrivals/record-upload.ts';
import { type NamedUpload, type Upload, uploadId, uploadsOf } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';

export interface EarlierUpload {
  readonly upload: Upload;
  readonly state: UploadState | undefined;
}

/** Number of uploads that are read at a time: each has up to 1,000 files. */
const PAGE = 25;

type Reads = Pick<Catalog, 'latest'>;

/** The uploads of a stream below a number, the highest first, down to `from`, with their states. */
export async function* uploadsBelow(
  catalog: Reads,
  { organization, stream, number }: NamedUpload,
  from = 1,
): AsyncGenerator<EarlierUpload> {
  for (let end = number; end > from; end -= PAGE) {
    const first = Math.max(from, end - PAGE);
    yield* (await pageOf(catalog, { organization, stream, first, end })).toReversed();
  }
}

/** The same, the lowest first. */
export async function* uploadsFrom(
  catalog: Reads,
  from: number,
  { organization, stream, number }: NamedUpload,
): AsyncGenerator<EarlierUpload> {
  for (let first = from; first < number; first += PAGE) {
    yield* await pageOf(catalog, { organization, stream, first, end: Math.min(first + PAGE, number) });
  }
}

/** The uploads of a stream above a number that have come so far. */
export async function* uploadsAbove(catalog: Reads, { organization, stream, number }: NamedUpload) {
  const last = await lastUpload(catalog, { organization, stream });
  yield* uploadsFrom(catalog, number + 1, { organization, stream, number: (last?.number ?? number) + 1 });
}

/** Whether a delivery that reads a stream again reads the files of an upload. */
export function isReadAgain({ upload, state }: EarlierUpload): boolean {
  return upload.readsAgain === undefined && state?.applied !== undefined && state.removed === undefined;
}

/** Why an upload that a full one has replaced cannot be read again. */
export function nothingLeft({ organization, stream, number }: NamedUpload): string {
  return `neither files nor records of the upload ${organization}/${stream}/${number} are kept: send a new full export, with which the stream begins anew`;
}

interface Page extends Omit<NamedUpload, 'number'> {
  /** The lowest number. */
  readonly first: number;
  /** Above the highest number. */
  readonly end: number;
}

/** Numbers have no gaps. */
async function pageOf(catalog: Reads, { organization, stream, first, end }: Page): Promise<readonly EarlierUpload[]> {
  const prefix = uploadsOf(organization, stream);
  const page = { before: uploadId(organization, stream, end), limit: end - first };
  // States are read later: an upload that has a state has a document.
  const uploads = await catalog.latest<Upload>('upload', prefix, page);
  const states = await catalog.latest<UploadState>('upload-state', prefix, page);
  const stateOf = new Map(states.map(({ id, body }) => [id, body]));
  return uploads.toReversed().map(({ id, body }) => ({ upload: body, state: stateOf.get(id) }));
}
