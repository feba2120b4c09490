import type { UploadView } from '../../../api/upload-schemas.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';

export function describeUpload({ organization, stream, number, name, received, files }: UploadView): string {
  const rows = files.map((file) => [file.name, file.length, file.sha256]);
  return [
    `${organization}/${stream}/${number}${name === undefined ? '' : `: ${printableLine(name)}`}`,
    `  received: ${received}`,
    '',
    formatTable(['FILE', 'BYTES', 'SHA-256'], rows),
  ].join('\n');
}

/** How many files an upload has, and how large they are together. */
export function sizeOf(files: readonly { readonly length: number }[]): string {
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return `${plural(files.length, 'file')}, ${formatBytes(bytes)}`;
}
