import type { UploadView } from '../../../api/upload-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';
import { counted, timeOf } from '../parts/words.ts';

/** Classes of the style sheet for each status. */
const STYLES: Readonly<Record<UploadView['status'], string>> = {
  waiting: 'quiet',
  processing: 'reading',
  processed: 'live',
  failed: 'failing',
  removed: 'quiet',
};

/** Seconds after which a page with an unprocessed upload is reloaded. */
export const AGAIN = 5;

export function uploadState({ status, ignored }: Pick<UploadView, 'status' | 'ignored'>): Html {
  const style = status === 'processed' && ignored !== undefined ? 'reading' : STYLES[status];
  return html`<span class="state ${style}">${status}</span>`;
}

/** What a delivery does that has no files. */
export function readsAgainText({ removes }: Pick<UploadView, 'removes'>): string {
  return removes === undefined ? 'all uploads read again' : `removes upload ${removes}`;
}

export function isOpen({ status }: Pick<UploadView, 'status'>): boolean {
  return status === 'waiting' || status === 'processing';
}

function sizeText(files: UploadView['files']): string {
  return `${counted(files.length, 'file')}, ${formatBytes(files.reduce((sum, { length }) => sum + length, 0))}`;
}

export function erratumReason({ reason, warning }: Pick<Erratum, 'reason' | 'warning'>): Html {
  return html`${warning && html`<span class="state reading">warning</span> The record was taken over: `}${reason}`;
}

/** @param home the address of the organization */
export function uploadTable(
  label: string,
  uploads: readonly UploadView[],
  at: { readonly home: string; readonly now: number },
): Html {
  const count = (name: 'records' | 'deletions' | 'errors') => ({
    name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    style: 'number',
    cell: ({ totals }: UploadView) => totals && formatCount(totals[name]),
  });
  return stackingTable(label, uploads, [
    {
      name: 'Upload',
      style: 'name title',
      isHead: true,
      cell: ({ stream, number, name, files, fileUrl, removed, ...upload }) =>
        html`<a href="${at.home}streams/${stream}/uploads/${number}/">${name ?? `Upload ${number}`}</a>${name !== undefined && html` <span class="id">${number}</span>`}<span class="more-of">${upload.readsAgain ? readsAgainText(upload) : (removed?.reason ?? (files.length === 0 ? fileUrl : sizeText(files)))}</span>`,
    },
    {
      name: 'Status',
      style: 'short',
      cell: (upload) =>
        html`${uploadState(upload)}${upload.ignored !== undefined && html`<span class="more-of">${counted(upload.ignored, 'file')} ignored</span>`}`,
    },
    count('records'),
    count('deletions'),
    count('errors'),
    {
      name: 'Received',
      style: 'short',
      cell: ({ received, by }) =>
        html`${timeOf(received, at.now)}${by?.name !== undefined && html`<span class="more-of">by ${by.name}</span>`}`,
    },
  ]);
}
