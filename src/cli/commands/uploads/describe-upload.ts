import { describeApplied } from '../../../api/describe-applied.ts';
import type { UploadView } from '../../../api/upload-schemas.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { fileKindTitle } from '../../../records/forms/record-forms.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { nameOf } from './describe-check.ts';

export function describeUpload(view: UploadView): string {
  const { organization, stream, number, name, received, fileUrl, files } = view;
  const rows = files.map((file) => [file.name, file.length, file.sha256]);
  return [
    `${organization}/${stream}/${number}${name === undefined ? '' : `: ${printableLine(name)}`}`,
    `  received: ${received}`,
    ...(fileUrl === undefined ? [] : [`  from: ${printableLine(fileUrl)}`]),
    ...describeStatus(view),
    '',
    ...(rows.length === 0
      ? [`Its file was not fetched${view.status === 'failed' ? '' : ' yet'}.`]
      : [formatTable(['FILE', 'BYTES', 'SHA-256'], rows)]),
    ...describeTaken(view),
  ].join('\n');
}

function describeStatus({
  status,
  applied,
  failure,
  totals,
  reasons = [],
  organization,
  stream,
  number,
}: UploadView): string[] {
  const retries = failure?.retries
    ? 'it is tried again'
    : `when that is mended, try it again with "tidemark uploads retry ${organization}/${stream}/${number}"`;
  return [
    `  status: ${status}`,
    ...(failure === undefined ? [] : [`  failed at ${failure.at}: ${printableLine(failure.error)} (${retries})`]),
    ...(applied === undefined ? [] : [`  published: ${describeApplied(applied)}`]),
    ...(totals === undefined || (totals.errors === 0 && totals.warnings === undefined)
      ? []
      : [`  ${foundText(totals)}: list them with "tidemark uploads errors ${organization}/${stream}/${number}"`]),
    ...reasons.map(({ reason, count, warning }) =>
      printableLine(`    ${formatCount(count)}: ${warning ? 'warning: ' : ''}${reason}`),
    ),
  ];
}

function foundText({ errors, warnings }: NonNullable<UploadView['totals']>): string {
  const warned =
    warnings === undefined ? '' : `, and warnings of records that were taken over: ${formatCount(warnings)}`;
  return `errors: ${formatCount(errors)}${warned}`;
}

function describeTaken({ taken, totals }: UploadView): string[] {
  if (taken === undefined || totals === undefined) return [];
  const rows = taken.map((file) => {
    const { records, deletions, errors, replaced = '' } = file;
    return [nameOf(file), fileKindTitle(file), records, deletions, errors, replaced];
  });
  const rest = totals.files - taken.length;
  return [
    '',
    formatTable(['TAKEN FOR', 'TYPE', 'RECORDS', 'DELETIONS', 'ERRORS', 'REPLACED'], rows),
    ...(rest > 0 ? [`… and ${plural(rest, 'file')} more`] : []),
    ...taken.flatMap(({ path, reason }) =>
      reason === undefined ? [] : [`${printableLine(nameOf({ path }))}: ${printableLine(reason)}`],
    ),
  ];
}

/** The number of files of an upload, and their total size. */
export function sizeOf(files: readonly { readonly length: number }[]): string {
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return `${plural(files.length, 'file')}, ${formatBytes(bytes)}`;
}
