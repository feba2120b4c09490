import type { Change } from '../core/change.ts';
import { isTidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { RecordPlace, ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { NamedUpload } from '../records/arrivals/upload.ts';
import type { Uploads } from '../records/arrivals/uploads.ts';
import { STORED } from '../records/forms/record-forms.ts';
import type { ReadableField } from '../records/readable/readable-record.ts';
import { uploadOfChange } from '../records/upload-of-change.ts';

/** The parts of the program that read versions of records. */
interface RecordVersionsParts {
  readonly sources: {
    readonly records: { read(place: RecordPlace, digest: string): Promise<{ readonly document: Uint8Array }> };
  };
  readonly records: { readonly uploads: Pick<Uploads, 'stateOf'> };
  /** The versions among some changes whose bytes are stored. */
  readonly publishing: {
    readonly versions: { among(set: ResourceSet, changes: readonly Change[]): Promise<readonly unknown[]> };
  };
}

/** Whether the resources of a set are records: the state of a file may name a form, too. */
export function hasRecords({ origin }: Pick<ResourceSet, 'origin'>): boolean {
  return traitsOf(origin).entry === 'record';
}

function formOf(set: ResourceSet, state: ResourceState | undefined) {
  return hasRecords(set) ? STORED.find(({ stored }) => stored.mime === state?.mime) : undefined;
}

/** Whether a state is that of a record in a form that people can read. */
export function isReadable(set: ResourceSet, state: ResourceState | undefined): boolean {
  return formOf(set, state) !== undefined;
}

/**
 * The fields of a record after a change, for people; a sentence when it cannot be shown; undefined for what is in no
 * form that people read, and for a deletion.
 * @throws TidemarkError `unavailable` when its artifact cannot be read now
 */
export async function fieldsOf(
  app: RecordVersionsParts,
  set: ResourceSet,
  version: Pick<Change, 'key' | 'stamp' | 'state'>,
): Promise<readonly ReadableField[] | string | undefined> {
  const { state } = version;
  const form = formOf(set, state);
  const digest = state?.hashes?.['sha-256'];
  if (form === undefined || state?.record === undefined || digest === undefined) return undefined;
  const upload = uploadOfChange(set.origin, version);
  if (upload !== undefined && (await isRemoved(app, upload))) return removedWith(upload);
  try {
    const { document } = await app.sources.records.read(state.record, digest);
    return await form.readFields(Buffer.from(document.buffer, document.byteOffset, document.byteLength));
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable')) throw error;
    // An artifact that is there can be read again later.
    const stored = await app.publishing.versions.among(set, [{ ...version, set: set.id } as Change]);
    if (stored.length > 0) throw error;
    return 'This version is not stored any more.';
  }
}

/** The times of those changes that came with an upload that was removed. */
export async function removedAmong(
  app: Pick<RecordVersionsParts, 'records'>,
  { origin }: ResourceSet,
  changes: readonly Change[],
): Promise<ReadonlySet<Stamp>> {
  const removed = await Promise.all(
    changes.map(async (change) => {
      const upload = change.state && uploadOfChange(origin, change);
      return upload !== undefined && (await isRemoved(app, upload));
    }),
  );
  return new Set(changes.flatMap(({ stamp }, at) => (removed[at] ? [stamp] : [])));
}

/** From the time that it is marked so, no client may read what it brought. */
async function isRemoved(
  { records: { uploads } }: Pick<RecordVersionsParts, 'records'>,
  upload: NamedUpload,
): Promise<boolean> {
  const state = await uploads.stateOf(upload);
  return state !== undefined && 'removed' in state;
}

function removedWith({ number }: NamedUpload): string {
  return `This version was removed with upload ${number}.`;
}
