import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type RecordingParts, recordUpload } from '../arrivals/record-upload.ts';
import { randomId } from '../arrivals/store-file.ts';
import type { NamedUpload, Sender, Upload } from '../arrivals/upload.ts';
import { readUploadState, storedFilesOf, type UploadState } from '../arrivals/upload-state.ts';
import { ofCollection, streamOf } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import type { StreamName } from '../stream-set-names.ts';
import { isReadAgain, nothingLeft, uploadsBelow } from './earlier-uploads.ts';
import { hasFailed, markRemoved } from './mark-removed.ts';

interface RemovalParts extends RecordingParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'head'>;
  readonly organizations: Pick<OrganizationRegistry, 'get'>;
  /** Cancels the job of an upload, if it has not ended. */
  cancel(upload: NamedUpload): Promise<unknown>;
}

export interface RemovalRequest {
  /** Why, in the words of the person who asks for it: one line. Others can read it. */
  readonly reason: string;
  readonly by: Sender;
}

/** What the removal of an upload deletes. */
export interface RemovalPlan {
  readonly files: number;
  /** Of its files, of the records that were read of it, and of its errata. */
  readonly bytes: number;
  /** Number of records and deletions that it names; undefined when it was not read yet. */
  readonly entries: number | undefined;
}

/** Characters. */
export const MOST_REASON = 500;

/**
 * Says what the removal of an upload would delete.
 * @throws TidemarkError `conflict` when it cannot be removed, or was removed; `not-found`
 */
export async function planRemoval(
  { catalog, artifacts, organizations }: Pick<RemovalParts, 'catalog' | 'artifacts' | 'organizations'>,
  upload: Upload,
): Promise<RemovalPlan> {
  const state = (await readUploadState(catalog, upload))?.body;
  await requireRemovable({ catalog, organizations }, upload, state);
  const files = storedFilesOf(upload, state);
  const { records, errata, totals } = state?.read ?? {};
  const read = [records, errata].filter((key) => key !== undefined);
  const sizes = await Promise.all(read.map(async (key) => (await artifacts.head(key))?.length ?? 0));
  const bytes = [...files.map(({ length }) => length), ...sizes].reduce((sum, one) => sum + one, 0);
  return { files: files.length, bytes, entries: totals && totals.records + totals.deletions };
}

/**
 * Removes an upload: records the delivery that makes the stream as if it had not come, and marks the upload, so that
 * no client can read it. Its bytes are deleted when the delivery was applied. One that is being applied is marked
 * later, by the job of the delivery. Returns the delivery.
 * @throws TidemarkError `invalid` without a reason; `conflict` when it cannot be removed, or was removed; `not-found`
 */
export async function removeUpload(
  parts: RemovalParts,
  upload: Upload,
  { reason, by }: RemovalRequest,
): Promise<Upload> {
  requireReason(reason);
  const state = (await readUploadState(parts.catalog, upload))?.body;
  await requireRemovable(parts, upload, state);
  const { organization, stream, number } = upload;
  const delivery = await recordUpload(parts, {
    ...{ organization, stream, files: [], token: randomId(), by },
    readsAgain: { removes: number, reason },
  });
  // The job does so, too: it may run sooner, and this process may be killed here.
  const marked = await markRemoved(parts.catalog, delivery);
  if (marked?.removed !== undefined) await parts.cancel(upload).catch(() => {});
  return delivery;
}

/**
 * Has all uploads of a stream processed again, as with another normalization: records a delivery that reads them.
 * Returns the delivery.
 * @param named absent: the default stream
 * @throws TidemarkError `not-found`; `conflict` for the stream of a collection
 */
export async function processAgain(
  parts: Omit<RemovalParts, 'cancel' | 'artifacts'>,
  { organization, stream: named, by }: StreamName & Pick<RemovalRequest, 'by'>,
): Promise<Upload> {
  const found = await parts.organizations.get(organization);
  const stream = named ?? found.defaultStream;
  if (stream === undefined) {
    throw new TidemarkError('not-found', `the organization ${organization} has no stream yet`, { organization });
  }
  const { set } = streamOf(found, stream);
  if (set !== undefined) {
    const advice = `read its responses again with "tidemark harvest ${set} --again"`;
    throw ofCollection(organization, streamOf(found, stream), `is not processed again here: ${advice}`);
  }
  return recordUpload(parts, { organization, stream, files: [], token: randomId(), by, readsAgain: {} });
}

/** @throws TidemarkError `invalid` */
function requireReason(reason: string): void {
  const isOk = reason.trim() !== '' && reason.length <= MOST_REASON && reason.isWellFormed() && !/\p{Cc}/u.test(reason);
  if (isOk) return;
  const message = `say why the upload is removed, in one line of at most ${MOST_REASON} characters: others can read it`;
  throw new TidemarkError('invalid', message, { field: 'reason' });
}

async function requireRemovable(
  { catalog, organizations }: Pick<RemovalParts, 'catalog' | 'organizations'>,
  upload: Upload,
  state: UploadState | undefined,
): Promise<void> {
  const { organization, stream, number, readsAgain } = upload;
  const found = streamOf(await organizations.get(organization), stream);
  const details = { organization, stream, upload: number };
  if (found.set !== undefined) {
    const advice = `to take records back, delete them at their repository, and harvest it in full`;
    throw ofCollection(organization, found, `keeps what was harvested (${advice})`);
  }
  const name = `${organization}/${stream}/${number}`;
  if (readsAgain !== undefined) {
    const message = `${name} has no files: it reads those of earlier uploads again. Remove the upload that has them`;
    throw new TidemarkError('conflict', message, details);
  }
  if (state?.removed !== undefined && !(await hasFailed(catalog, upload, state.removed))) {
    const message = `the upload ${name} was removed already, by the delivery ${state.removed.delivery}`;
    throw new TidemarkError('conflict', message, details);
  }
  if (upload.unmentioned === 'deleted') await requireWhatItReplaced(catalog, upload);
}

/** After the removal of a full upload, those before it count again. @throws TidemarkError `conflict` */
async function requireWhatItReplaced(catalog: RemovalParts['catalog'], upload: Upload): Promise<void> {
  for await (const earlier of uploadsBelow(catalog, upload)) {
    const { originalsRemoved, recordsRemoved } = earlier.state ?? {};
    if (!isReadAgain(earlier)) continue;
    if (originalsRemoved !== undefined && recordsRemoved !== undefined) {
      throw new TidemarkError('conflict', nothingLeft(earlier.upload), { upload: earlier.upload.number });
    }
    if (earlier.state?.applied?.unmentioned !== undefined) return;
  }
}
