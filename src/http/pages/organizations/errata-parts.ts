import { formatCount } from '../../../lib/format-count.ts';
import { uploadReadAgain } from '../../../records/again/name-upload.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { placeText } from '../../../records/errata/fault.ts';
import { type Html, html } from '../parts/html.ts';
import { queryOf } from '../parts/pager.ts';

/** The address of the page that shows a record as it came; undefined when there is no record to show. */
export type RecordLink = (erratum: Erratum) => string | undefined;

/** Kinds that are faults of a line or a file, and of no record. */
const WITHOUT_RECORD: ReadonlySet<string | undefined> = new Set([
  'long-line',
  'line-not-utf-8',
  'damaged-package',
  'xml-encoding',
  'no-records',
  'oai-page',
]);

interface UploadWithErrata {
  readonly stream: string;
  readonly number: number;
  readonly readsAgain?: true | undefined;
}

/** @param uploads the address of the uploads of the organization, as `./uploads` */
export function recordLink(uploads: string, { stream, number, readsAgain }: UploadWithErrata): RecordLink {
  return ({ file, ordinal, offset, kind, path = [] }) => {
    if (file === undefined || ordinal === undefined || WITHOUT_RECORD.has(kind)) return undefined;
    // A delivery that reads again has no files: it names the upload that has.
    const sender = readsAgain === undefined ? undefined : uploadReadAgain(path);
    const names = sender === undefined ? path : path.slice(1);
    const inPackage = names.length > 1 && { path: names.join(' > ') };
    const query = queryOf({ file: String(file), ordinal: String(ordinal), offset: String(offset ?? 0), ...inPackage });
    return `${uploads}/${stream}/${sender ?? number}/records${query.replace(/^\.\//, '')}`;
  };
}

/** A record that could not be read: its id and title, its number, and the file. @param href of the record as it came */
export function erratumPlace({ path = [], ordinal, id, title }: Erratum, href?: string): Html {
  const number = ordinal !== undefined && `number ${formatCount(ordinal)}`;
  const name = id ?? (number || path.join(' > '));
  const place = [id !== undefined && number, path.join(' > ')].filter(Boolean).join(', ');
  return html`${href === undefined ? name : html`<a href="${href}">${name}</a>`}${title !== undefined && html`<span class="more-of"><bdi>${title}</bdi></span>`}${place !== name && html`<span class="more-of">${place}</span>`}`;
}

export function erratumField(erratum: Erratum): Html | undefined {
  const { field, position } = erratum;
  if (field === undefined) return undefined;
  return html`${placeText(erratum)}${position !== undefined && html`<span class="more-of">character ${formatCount(position)}</span>`}`;
}

/** The text around the fault, which is marked. */
export function erratumText({ before = '', fault, after = '' }: Erratum): Html | undefined {
  if (fault === undefined) return undefined;
  return html`<bdi>${before}<mark>${fault === '' ? ' ' : fault}</mark>${after}</bdi>`;
}

export function erratumReason({ reason, warning, fault }: Pick<Erratum, 'reason' | 'warning' | 'fault'>): Html {
  const text = html`${warning && 'The record was taken over: '}${reason}`;
  return fault === undefined ? text : html`<span class="more-of">${text}</span>`;
}
