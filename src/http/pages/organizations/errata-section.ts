import type { ErrataOfUpload } from '../../../records/arrivals/latest-errata.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';
import { counted } from '../parts/words.ts';
import { erratumField, erratumPlace, erratumReason, erratumText, recordLink } from './errata-parts.ts';

/** The latest errors and warnings: which record, where, and why, each with a link to its upload. */
export function errataSection(found: readonly ErrataOfUpload[]): Html | undefined {
  if (found.length === 0) return undefined;
  const rows = found.flatMap((upload) => upload.errata.map((erratum) => ({ upload, erratum })));
  const more = found.filter(({ count, errata }) => count > errata.length);
  return html`<h2 id="errors">Latest errors</h2>
<p class="quiet">What else could be read of these uploads was taken over, and so were records with a warning. Where a reason says that nothing behind its place is read, the rest of that file is missing.</p>
${
  rows.length > 0 &&
  stackingTable('Latest errors', rows, [
    {
      name: 'Record',
      style: 'name',
      isHead: true,
      cell: ({ upload, erratum }) => erratumPlace(erratum, recordLink('./uploads', upload)(erratum)),
    },
    { name: 'Field', style: 'short', cell: ({ erratum }) => erratumField(erratum) },
    { name: 'Fault', style: 'name', cell: ({ erratum }) => html`${erratumText(erratum)}${erratumReason(erratum)}` },
    {
      name: 'Upload',
      style: 'name',
      cell: ({ upload }) => errorsLink(upload, upload.name ?? `Upload ${upload.number}`),
    },
  ])
}
${more.length > 0 && html`<ul>${more.map((upload) => html`<li>${moreOf(upload)}</li>`)}</ul>`}`;
}

function moreOf(upload: ErrataOfUpload): Html {
  const { number, count, errata } = upload;
  if (errata.length === 0)
    return html`The errors of upload ${number} cannot be read now: ${errorsLink(upload, 'try its page')}`;
  return errorsLink(upload, `${counted(count - errata.length, 'more error')} in upload ${number}`);
}

function errorsLink({ stream, number }: ErrataOfUpload, text: string): Html {
  return html`<a href="./streams/${stream}/uploads/${number}/#errors">${text}</a>`;
}
