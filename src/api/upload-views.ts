import { shownUrl, type Upload } from '../records/arrivals/upload.ts';
import { type AppliedUpload, filesOf, statusOf, type UploadState } from '../records/arrivals/upload-state.ts';
import type { ListedUploads, UploadPage } from '../records/arrivals/uploads.ts';
import { formatTime } from './format-time.ts';
import type { UploadsView, UploadView } from './upload-schemas.ts';

/** An upload with its status. @param state undefined before anything was done */
export function uploadView(upload: Upload, state: UploadState | undefined): UploadView {
  const { read, applied } = state ?? {};
  const taken = read?.files.map(({ path, packing, ...file }, at) => ({
    ...file,
    path: [...path],
    packing: [...packing],
    ...(applied?.replaced !== undefined && { replaced: applied.replacedInFiles?.[at] ?? 0 }),
  }));
  return {
    ...listedUploadView(upload, state),
    ...(taken !== undefined && { taken }),
    ...(read?.reasons !== undefined && { reasons: [...read.reasons] }),
  };
}

/** The same, for lists. */
export function listedUploadView(upload: Upload, state: UploadState | undefined): UploadView {
  const { organization, stream, number, received, name, url: from } = upload;
  const url = `organizations/${organization}/uploads/${stream}/${number}`;
  return {
    organization,
    stream,
    number,
    received: formatTime(received),
    ...(name !== undefined && { name }),
    ...(from !== undefined && { fileUrl: shownUrl(from) }),
    files: filesOf(upload, state).map(({ name, length, sha256 }, at) => ({
      ...{ name, length, sha256, url: `${url}/files/${at + 1}` },
    })),
    status: statusOf(state),
    ...(state !== undefined && outcome(state)),
    ...(state?.read?.errata !== undefined && { errors: `${url}/errors` }),
  };
}

type Outcome = Pick<UploadView, 'totals' | 'ignored' | 'applied' | 'failure'>;

function outcome({ read, applied, failure }: UploadState): Outcome {
  const ignored = read?.files.filter(({ reason }) => reason !== undefined).length ?? 0;
  return {
    ...(read !== undefined && { totals: { ...read.totals } }),
    ...(ignored > 0 && { ignored }),
    ...(applied !== undefined && { applied: appliedView(applied) }),
    ...(failure !== undefined && {
      failure: { at: formatTime(failure.at), error: failure.error, retries: !failure.isFinal },
    }),
  };
}

function appliedView({ at, replacedInFiles: _, ...counts }: AppliedUpload): NonNullable<UploadView['applied']> {
  return { at: formatTime(at), ...counts };
}

export function uploadsView(
  organization: string,
  { stream, uploads, states }: ListedUploads,
  { limit }: UploadPage,
): UploadsView {
  const last = uploads.at(-1)?.number ?? 1;
  return {
    organization,
    ...(stream !== undefined && { stream }),
    uploads: uploads.map((upload) => listedUploadView(upload, states.get(upload.number))),
    ...(uploads.length === limit && last > 1 && { next: last }),
  };
}
