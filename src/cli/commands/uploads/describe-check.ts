import type { ReasonView } from '../../../api/reason-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { groupOf } from '../../../records/errata/reason-counts.ts';
import { fileKindOf, fileKindTitle } from '../../../records/forms/record-forms.ts';
import { describeErratum, describeReason, describeRecord } from '../../ui/describe-errata.ts';
import { formatTable, plural } from '../../ui/table.ts';
import type { CheckedFile } from './check-files.ts';

const MOST_ROWS = 1000;
const MOST_ERRORS = 10;
/** Records that are shown with a reason. */
const MOST_OF_REASON = 3;

/** The results for users: a table; what would not be accepted, and why; the sums. */
export function describeCheck(files: readonly CheckedFile[]): string {
  return [tableOf(files), ...unknownOf(files), ...errorsOf(files), sumsOf(files)].join('\n\n');
}

function tableOf(files: readonly CheckedFile[]): string {
  const rows = files.slice(0, MOST_ROWS).map((file) => {
    return [nameOf(file), fileKindTitle(file), file.records, file.deletions, file.errors];
  });
  const table = formatTable(['FILE', 'TYPE', 'RECORDS', 'DELETIONS', 'ERRORS'], rows);
  const rest = files.length - rows.length;
  return rest > 0 ? `${table}\n… and ${plural(rest, 'file')} more` : table;
}

export const nameOf = ({ path }: Pick<CheckedFile, 'path'>): string => path.join(' > ');

function unknownOf(files: readonly CheckedFile[]): string[] {
  const unknown = files.filter(({ kind }) => kind === 'unknown');
  if (unknown.length === 0) return [];
  const lines = unknown.slice(0, MOST_ERRORS).map((file) => `  ${nameOf(file)}\n    ${file.reason}`);
  return [['Not taken over:', ...lines, ...more(unknown.length - lines.length)].join('\n')];
}

function errorsOf(files: readonly CheckedFile[]): string[] {
  return files
    .flatMap((file) => [
      ...errataOf(file, 'Errors in', { errata: file.firstErrors, count: file.errors }),
      ...errataOf(file, 'Taken over with a warning in', { errata: file.firstWarnings, count: file.warnings }),
    ])
    .slice(0, MOST_ERRORS);
}

interface FirstErrata {
  readonly errata: readonly Erratum[];
  /** Number of all. */
  readonly count: number;
}

function errataOf(file: CheckedFile, title: string, { errata, count }: FirstErrata): string[] {
  if (count === 0) return [];
  const unit = fileKindOf(file.kind)?.unit ?? 'record';
  const isWarning = errata[0]?.warning === true;
  const groups = file.reasons
    .filter(({ warning = false }) => warning === isWarning)
    .flatMap((reason) => reasonLines(reason, errata, unit));
  return [[`${title} ${nameOf(file)}:`, ...groups].join('\n')];
}

/** A reason with its likely cause, what to do, and the first records. */
function reasonLines(words: ReasonView, first: readonly Erratum[], unit: string): string[] {
  const found = first.filter((erratum) => groupOf(erratum) === groupOf(words));
  const examples = found.length > 0 || words.example === undefined ? found.slice(0, MOST_OF_REASON) : [words.example];
  const records = examples.flatMap((erratum) => [`${describeRecord(erratum, unit)}`, `  ${describeErratum(erratum)}`]);
  const rest = words.count - examples.length;
  const more = rest > 0 && examples.length > 0 ? [`… and ${formatCount(rest)} more`] : [];
  const [head = '', ...advice] = describeReason({ ...words, warning: undefined });
  return [`  ${head}`, ...[...advice.map((line) => line.trim()), ...records, ...more].map((line) => `    ${line}`)];
}

const more = (count: number): string[] => (count > 0 ? [`  … and ${formatCount(count)} more`] : []);

function sumsOf(files: readonly CheckedFile[]): string {
  const sum = (field: 'records' | 'deletions' | 'errors' | 'warnings') =>
    files.reduce((total, file) => total + file[field], 0);
  const unknown = files.filter(({ kind }) => kind === 'unknown').length;
  const taken = `${plural(sum('records'), 'record')} and ${plural(sum('deletions'), 'deletion')}`;
  const lost = [
    ...(sum('errors') > 0 ? [plural(sum('errors'), 'error')] : []),
    ...(unknown > 0 ? [`${plural(unknown, 'file')} of unknown type`] : []),
  ];
  const warned = sum('warnings') === 0 ? '' : ` ${plural(sum('warnings'), 'record')} would have a warning.`;
  return `Of ${plural(files.length, 'file')}, an upload would take over ${taken}${lost.length === 0 ? '' : `, but not ${lost.join(' and ')}`}.${warned}`;
}
