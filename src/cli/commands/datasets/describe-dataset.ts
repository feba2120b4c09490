import type { DatasetFileView, DatasetRequestView } from '../../../api/dataset-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';

/** A request and its result in a line: `https://…: success: dataverse …, 12 files, 2.3 MB, web-fileset`. */
export function requestLine(view: DatasetRequestView): string {
  return printableLine(`${view.request.base_url}: ${outcomeText(view)}`);
}

function outcomeText({ state, result }: DatasetRequestView): string {
  if (result === undefined) return state;
  const { status, message, platform, file_count: files, total_size: size, ingest_strategy: strategy } = result;
  const sized = size === undefined ? undefined : formatBytes(size);
  const facts = [platform && nameOf(result), files && plural(files, 'file'), sized, strategy];
  return `${status}: ${message ?? facts.filter(Boolean).join(', ')}`;
}

/** `dataverse doi:10.7910/DVN/CLSFKX version 1.1` */
function nameOf({ platform = '', platform_id: id = '', version }: NonNullable<DatasetRequestView['result']>): string {
  return `${platform} ${id}${version === undefined ? '' : ` version ${version}`}`;
}

/** The status of the last result; while another one is awaited, the state. */
export function statusOf({ state, result }: DatasetRequestView): string {
  return state === 'ended' ? (result?.status ?? '') : state;
}

/** A request with its result, a fact a line. */
export function describeRequest(view: DatasetRequestView): string {
  const { id, set, state, requested, job, options, request, result } = view;
  const facts = {
    id,
    set,
    state,
    requested,
    job: state === 'ended' ? undefined : job,
    options: options && Object.keys(options).join(', '),
    ...result,
    hit: undefined,
  };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.replaceAll('_', ' ')}: ${printableLine(String(value))}`],
  );
  return [printableLine(request.base_url), ...lines].join('\n');
}

/** The files of a manifest as a table. Messages and notes follow it. */
export function describeFiles(files: readonly DatasetFileView[], notes: readonly string[]): string {
  const rows = files.map(({ status, size, md5 = '', sha1, sha256, path }) => {
    return [status, size === undefined ? '' : formatBytes(size), md5, sha256 ?? sha1 ?? '', path];
  });
  const table = formatTable(['STATUS', 'SIZE', 'MD5', 'SHA-256 OR SHA-1', 'PATH'], rows);
  const messages = files.flatMap(({ path, message }) =>
    message === undefined ? [] : [printableLine(message.startsWith(path) ? message : `${path}: ${message}`)],
  );
  return [table, ...messages, ...notes.map(printableLine)].join('\n');
}
