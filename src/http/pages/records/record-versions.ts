import { parseKey } from '../../../artifacts/artifact-key.ts';
import type { Change } from '../../../core/change.ts';
import { type Origin, traitsOf } from '../../../core/origin.ts';
import type { ResourceState } from '../../../core/resource.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { NamedUpload } from '../../../records/arrivals/upload.ts';
import type { ReadableField } from '../../../records/forms/readable/readable-record.ts';
import { STORED } from '../../../records/forms/record-forms.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';

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
 * The fields of a record for people; undefined for what is in no form that people read.
 * @throws TidemarkError `unavailable` when its artifact cannot be read
 */
export async function fieldsOf(
  { sources: { records } }: Pick<ServedApp, 'sources'>,
  set: ResourceSet,
  state: ResourceState,
): Promise<readonly ReadableField[] | undefined> {
  const { record, hashes } = state;
  const form = formOf(set, state);
  const digest = hashes?.['sha-256'];
  if (form === undefined || record === undefined || digest === undefined) return undefined;
  const { document } = await records.read(record, digest);
  return form.readFields(Buffer.from(document.buffer, document.byteOffset, document.byteLength));
}

/**
 * The upload that a change of a record came with: its artifact says it; of a deletion, its order does, in the set of one
 * stream. Undefined for a deletion in the set of a default stream, which may have been another one then.
 */
export function uploadOfChange(
  origin: Origin,
  { state, order }: Pick<Change, 'state' | 'order'>,
): NamedUpload | undefined {
  const key = state?.record && parseKey(state.record.artifact);
  if (key?.kind === 'stream-records') return key;
  if (state !== undefined || order === undefined || origin.kind !== 'stream') return undefined;
  const { organization, stream } = origin;
  return stream === undefined ? undefined : { organization, stream, number: order };
}

/** Its number, with a link to its page; one of a collection is a harvest, which has other pages. */
export function uploadLink({ organization, stream, number }: NamedUpload, origin: Origin, { top }: Frame): Html {
  if (origin.kind === 'stream' && origin.collection !== undefined) return html`Delivery ${number}`;
  return html`<a href="${top}organizations/${organization}/streams/${stream}/uploads/${number}/">Upload ${number}</a>`;
}
