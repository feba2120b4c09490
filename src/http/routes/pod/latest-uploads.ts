import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import type { Upload } from '../../../records/arrivals/upload.ts';
import type { UploadState } from '../../../records/arrivals/upload-state.ts';
import type { Uploads } from '../../../records/arrivals/uploads.ts';

export interface ListedUpload {
  readonly upload: Upload;
  /** Undefined before anything was done. */
  readonly state: UploadState | undefined;
}

/** Uploads of a stream that are read at a time: the number of a page of the POD aggregator. */
export const UPLOADS_PER_PAGE = 25;
const STREAMS_AT_ONCE = 8;

/** A page of the uploads of several streams of an organization, the latest first. @param page counted from 1 */
export async function latestUploads(
  uploads: Pick<Uploads, 'list'>,
  { organization, streams, page }: { organization: string; streams: readonly string[]; page: number },
): Promise<readonly ListedUpload[]> {
  const read = (stream: string, before?: number) => readPage(uploads, { organization, stream, before });
  const ofStreams: ListedUpload[][] = [];
  for await (const found of mapInOrder(streams, STREAMS_AT_ONCE, (stream) => read(stream))) ofStreams.push(found);
  const start = (page - 1) * UPLOADS_PER_PAGE;
  // Uploads of a stream are numbered from 1, without gaps.
  const total = ofStreams.reduce((sum, [newest]) => sum + (newest?.upload.number ?? 0), 0);
  if (start >= total) return [];
  const found: ListedUpload[] = [];
  for (let at = 0; at < start + UPLOADS_PER_PAGE; at++) {
    const latest = ofStreams.reduce((one, other) => (receivedOf(other) > receivedOf(one) ? other : one));
    const next = latest.shift();
    if (next === undefined) break;
    if (at >= start) found.push(next);
    const { stream, number } = next.upload;
    if (latest.length === 0) latest.push(...(await read(stream, number)));
  }
  return found;
}

/** -1 when none is left. */
function receivedOf([first]: readonly ListedUpload[]): number {
  return first?.upload.received ?? -1;
}

async function readPage(
  uploads: Pick<Uploads, 'list'>,
  { organization, stream, before }: { organization: string; stream: string; before: number | undefined },
): Promise<ListedUpload[]> {
  const page = { ...(before !== undefined && { before }), limit: UPLOADS_PER_PAGE };
  const listed = await uploads.list(organization, stream, page);
  return listed.uploads.map((upload) => ({ upload, state: listed.states.get(upload.number) }));
}
