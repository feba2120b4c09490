import { describeSender } from '../../../api/sender-view.ts';
import type { UploadView } from '../../../api/upload-view.ts';
import { describeApplied } from '../../../api/upload-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { MOST_REASON, type RemovalPlan } from '../../../records/again/remove-upload.ts';
import type { ErrataPage } from '../../../records/errata/read-errata.ts';
import { fileKindTitle } from '../../../records/forms/record-forms.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { pathText } from '../parts/path-text.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { removeSection } from '../parts/remove-section.ts';
import { plainName } from '../parts/resource-parts.ts';
import { facts, figures, stackingTable } from '../parts/tables.ts';
import { clockTime, counted, sentence, timeOf } from '../parts/words.ts';
import { errataGroups } from './errata-groups.ts';
import { recordLink } from './errata-parts.ts';
import { type OrganizationFrame, organizationTitle, renderOrganizationFrame } from './organization-frame.ts';
import { AGAIN, isOpen, readsAgainText, uploadState } from './upload-parts.ts';

export interface UploadPage extends OrganizationFrame {
  readonly upload: UploadView;
  /** Undefined when there are none. */
  readonly errata: ErrataPage | undefined;
  /** Offset of the errata of this page, in bytes. */
  readonly at: number;
  /** For an administrator, if it can be removed: what that deletes. */
  readonly removal: RemovalPlan | undefined;
  /** Why it was not removed, with the reason that was given. */
  readonly rejected?: { readonly problem: string; readonly reason: string } | undefined;
}

/** An upload: its status, how each file was interpreted, and the records that could not be read. */
export function renderUploadPage(page: UploadPage): string {
  const { organization, upload, frame } = page;
  const { number, stream, name, received, by, fileUrl, totals, applied } = upload;
  const heading = name ?? `Upload ${number}`;
  const main = html`<p class="subtitle"><span class="id">${organization.id}/${stream}/${number}</span></p>
${problemNotice(page.rejected?.problem)}
${notice(page)}
${
  totals !== undefined &&
  figures([
    ['records', formatCount(totals.records)],
    ['deletions', formatCount(totals.deletions)],
    ['errors', formatCount(totals.errors)],
    ...(totals.warnings === undefined ? [] : ([['warnings', formatCount(totals.warnings)]] as const)),
  ])
}
${facts([
  ['Received', timeOf(received, frame.now)],
  ['Kind', upload.full && 'a new full export: records that it does not mention are deleted'],
  ['By', by && describeSender(by)],
  ['From', fileUrl],
  ['Has', upload.readsAgain && `no files: ${readsAgainText(upload)}`],
  ['Reason', upload.reason],
  ['Published', applied && timeOf(applied.at, frame.now)],
  ['In the stream', applied && describeApplied(applied)],
])}
${upload.taken !== undefined && upload.taken.length > 0 && takenSection(upload)}
${errorSection(page)}
${upload.readsAgain === undefined && upload.removed === undefined && fileSection(page)}
${page.removal !== undefined && removalSection(page, page.removal)}`;
  return renderOrganizationFrame(page, {
    above: [
      [organizationTitle(organization), ''],
      [stream, `streams/${stream}/`],
    ],
    heading: html`${heading} ${uploadState(upload)}`,
    title: `${heading} – ${organizationTitle(organization)}`,
    main,
    again: isOpen(upload) ? AGAIN : undefined,
  });
}

function fileSection({ upload, frame }: UploadPage): Html {
  const { files } = upload;
  return html`<h2>Files as they came</h2>
${upload.originalsRemoved !== undefined && html`<p class="quiet">They are kept no longer, since ${timeOf(upload.originalsRemoved, frame.now)}. Its records are published as before.</p>`}
${
  files.length === 0
    ? html`<p class="quiet">Its file was not fetched${isOpen(upload) && ' yet'}.</p>`
    : stackingTable('Files as they came', files, [
        {
          name: 'File',
          style: 'name',
          isHead: true,
          cell: ({ name, url }) =>
            upload.originalsRemoved === undefined
              ? html`<a href="${frame.top}api/${url}">${pathText(plainName(name))}</a>`
              : pathText(plainName(name)),
        },
        { name: 'Size', style: 'number', cell: ({ length }) => formatBytes(length) },
        { name: 'SHA-256', style: 'name wide', cell: ({ sha256 }) => html`<span class="id">${sha256}</span>` },
      ])
}`;
}

function removalSection({ upload: { number }, rejected }: UploadPage, { files, bytes, entries }: RemovalPlan): Html {
  const names =
    entries === undefined ? '' : `, with ${counted(entries, 'record and deletion', 'records and deletions')}`;
  return removeSection({
    ...{ what: 'upload', id: `${number}`, action: './remove', isWrong: rejected !== undefined },
    consequence: `Its ${counted(files, 'file')}, ${formatBytes(bytes)}${names}, are deleted for good, and the stream becomes what it is without it. Its number and the reason stay, for all who may read the upload.`,
    fields: html`<p><label for="reason">Why it is removed</label>
<input id="reason" name="reason" required maxlength="${MOST_REASON}" value="${rejected?.reason ?? ''}" autocomplete="off"></p>`,
  });
}

/** What became of an upload that was removed. */
function removedNotice({ removed }: UploadView, now: number): Html | undefined {
  if (removed === undefined) return undefined;
  const { at, reason, delivery } = removed;
  return html`<div class="notice" role="status"><p>It was removed ${timeOf(at, now)}: ${reason}.</p>
<p>No client can read its files. <a href="../${delivery}/">Upload ${delivery}</a> takes back what it changed, and deletes them.</p></div>`;
}

function notice({ upload, mayUpload, frame }: UploadPage): Html | undefined {
  const { failure, status, number, removed } = upload;
  if (removed !== undefined) return removedNotice(upload, frame.now);
  if (failure === undefined) {
    return status === 'waiting'
      ? html`<div class="notice" role="status"><p>It waits for a server that is free. This page shows when that changes.</p></div>`
      : ignoredNotice(upload);
  }
  const next = failure.retries ? triedAgain(failure) : 'Nothing of it is published.';
  const files = upload.fileUrl === undefined ? 'Its files are read as they came' : 'Its file is fetched again';
  return html`<div class="notice bad" role="status"><p>${sentence(failure.error)} ${next}</p>
${
  mayUpload &&
  confirmed({
    text: 'Process it again',
    of: `upload ${number}`,
    consequence: `${files}: send mended files as another upload. It takes its place in the order of arrival: what later uploads have changed stays.`,
    confirm: 'Process it again',
    action: './retry',
    isHarmless: true,
  })
}</div>`;
}

function triedAgain({ nextAt }: NonNullable<UploadView['failure']>): Html | string {
  if (nextAt === undefined) return 'It is tried again by itself.';
  return html`The next attempt is at ${clockTime(Date.parse(nextAt) * 1000)}.`;
}

/** Files of a kind that is not read may come along, but the uploader must see that nothing came of them. */
function ignoredNotice({ ignored = 0 }: UploadView): Html | undefined {
  if (ignored === 0) return undefined;
  const text = counted(ignored, 'file was', 'files were');
  const them = ignored === 1 ? 'it' : 'them';
  return html`<div class="notice" role="status"><p>${text} ignored: nothing was taken of ${them}. The reason is below.</p></div>`;
}

function takenSection({ taken = [], totals }: UploadView): Html {
  const rest = (totals?.files ?? taken.length) - taken.length;
  return html`<h2>What the files were taken for</h2>
${stackingTable('What the files were taken for', taken, [
  {
    name: 'File',
    style: 'name',
    isHead: true,
    cell: ({ path, reason }) =>
      html`${path.join(' > ')}${reason !== undefined && html`<span class="more-of">Ignored: ${reason}</span>`}`,
  },
  { name: 'Type', style: 'short', cell: fileKindTitle },
  { name: 'Records', style: 'number', cell: ({ records }) => formatCount(records) },
  { name: 'Deletions', style: 'number', cell: ({ deletions }) => formatCount(deletions) },
  { name: 'Errors', style: 'number', cell: ({ errors }) => formatCount(errors) },
  { name: 'Replaced', style: 'number', cell: ({ replaced }) => replaced !== undefined && formatCount(replaced) },
])}
${rest > 0 && html`<p class="quiet">and ${counted(rest, 'file')} more</p>`}`;
}

function errorSection({ organization, errata, at, upload, frame }: UploadPage): Html | undefined {
  if (errata === undefined) return undefined;
  const title = upload.totals?.warnings === undefined ? 'What could not be read' : 'Errors and warnings';
  return html`<h2 id="errors">${title}</h2>
<p class="quiet">What else could be read of these files was taken over, and so were records with a warning. Where a reason says that nothing behind its place is read, the rest of that file is missing. All errors: <a href="${frame.top}api/${upload.errors}">as JSON</a>, <a href="${frame.top}api/${upload.errors}.csv">as CSV</a>.</p>
${errataGroups(
  { reasons: upload.reasons ?? [], errata: errata.errata, isFirst: at === 0 },
  recordLink(`${frame.top}organizations/${organization.id}/uploads`, upload),
)}
${onward(
  at === 0 ? undefined : { name: 'First', href: './#errors' },
  errata.next === undefined ? undefined : { name: 'Next', href: `${queryOf({ errors: String(errata.next) })}#errors` },
)}`;
}
