import { formatCount } from '../../../lib/format-count.ts';
import type { FileKind } from '../../../streams/files/found-file.ts';
import { formatTable, plural } from '../../ui/table.ts';
import type { CheckedFile } from './check-files.ts';

const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  marc21: 'MARC21',
  marcxml: 'MARCXML',
  'deleted-ids': 'ids to delete',
  unknown: 'unknown',
};
const MOST_ROWS = 1000;
const MOST_ERRORS = 10;

/** The results for users: a table; what would not be accepted, and why; the sums. */
export function describeCheck(files: readonly CheckedFile[]): string {
  return [tableOf(files), ...unknownOf(files), ...errorsOf(files), sumsOf(files)].join('\n\n');
}

function tableOf(files: readonly CheckedFile[]): string {
  const rows = files.slice(0, MOST_ROWS).map((file) => {
    return [nameOf(file), typeOf(file), file.records, file.deletions, file.errors];
  });
  const table = formatTable(['FILE', 'TYPE', 'RECORDS', 'DELETIONS', 'ERRORS'], rows);
  const rest = files.length - rows.length;
  return rest > 0 ? `${table}\n… and ${plural(rest, 'file')} more` : table;
}

export const nameOf = ({ path }: Pick<CheckedFile, 'path'>): string => path.join(' > ');

export function typeOf({ kind, packing }: Pick<CheckedFile, 'kind' | 'packing'>): string {
  return [KIND_NAMES[kind], ...packing.toReversed()].join(' in ');
}

function unknownOf(files: readonly CheckedFile[]): string[] {
  const unknown = files.filter(({ kind }) => kind === 'unknown');
  if (unknown.length === 0) return [];
  const lines = unknown.slice(0, MOST_ERRORS).map((file) => `  ${nameOf(file)}\n    ${file.reason}`);
  return [['Not taken over:', ...lines, ...more(unknown.length - lines.length)].join('\n')];
}

function errorsOf(files: readonly CheckedFile[]): string[] {
  return files
    .flatMap((file) => {
      if (file.errors === 0) return [];
      const what = file.kind === 'deleted-ids' ? 'line' : 'record';
      const lines = file.firstErrors.map(({ ordinal, offset, id, reason }) => {
        const which = id === undefined ? '' : ` (${id})`;
        return `  ${what} ${formatCount(ordinal)}${which}, at byte ${formatCount(offset)}\n    ${reason}`;
      });
      const title = `Errors in ${nameOf(file)}:`;
      return [[title, ...lines, ...more(file.errors - lines.length)].join('\n')];
    })
    .slice(0, MOST_ERRORS);
}

const more = (count: number): string[] => (count > 0 ? [`  … and ${formatCount(count)} more`] : []);

function sumsOf(files: readonly CheckedFile[]): string {
  const sum = (field: 'records' | 'deletions' | 'errors') => files.reduce((total, file) => total + file[field], 0);
  const unknown = files.filter(({ kind }) => kind === 'unknown').length;
  const taken = `${plural(sum('records'), 'record')} and ${plural(sum('deletions'), 'deletion')}`;
  const lost = [
    ...(sum('errors') > 0 ? [plural(sum('errors'), 'error')] : []),
    ...(unknown > 0 ? [`${plural(unknown, 'file')} of unknown type`] : []),
  ];
  return `Of ${plural(files.length, 'file')}, an upload would take over ${taken}${lost.length === 0 ? '' : `, but not ${lost.join(' and ')}`}.`;
}
