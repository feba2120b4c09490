import { setTimeout as wait } from 'node:timers/promises';
import { reasonView } from '../../../api/reason-view.ts';
import { describeSender } from '../../../api/sender-view.ts';
import type { UploadView } from '../../../api/upload-view.ts';
import { describeApplied, uploadsView, uploadView } from '../../../api/upload-view.ts';
import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { parseUploadNumber, type Upload } from '../../../records/arrivals/upload.ts';
import { statusOf, type UploadState } from '../../../records/arrivals/upload-state.ts';
import type { Uploads } from '../../../records/arrivals/uploads.ts';
import { errataAsCsv } from '../../../records/errata/errata-csv.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { eachErratum } from '../../../records/errata/read-errata.ts';
import { fileKindTitle } from '../../../records/forms/record-forms.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { describeErratum, describeReason, describeRecord } from '../../ui/describe-errata.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { nameOf } from './describe-check.ts';

interface ListUploadsOptions {
  readonly stream?: string;
  readonly limit: number;
}

export const uploadsList: CliCommand<ListUploadsOptions> = {
  group: 'uploads',
  usage: 'list <organization>',
  summary: 'Lists uploads of a stream, newest first.',
  examples: [['uploads list lane', 'lists the last ones of the default stream']],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: the default one of the organization)')
      .option('--limit <number>', 'how many, at most', wholeNumber(1, 10_000), 20);
  },

  async run(call) {
    const [organization = ''] = call.args;
    const { stream, limit } = call.options;
    const page = { limit };
    const view = await withExistingApp(call, async ({ records: { uploads } }) => {
      return uploadsView(organization, await uploads.list(organization, stream, page), { ...page, sees: 'all' });
    });
    const rows = view.uploads.map(({ number, received, by, name = '', files, status, totals, ignored, ...upload }) => {
      const counts = [
        totals?.records ?? '',
        totals?.deletions ?? '',
        totals?.errors ?? '',
        totals === undefined ? '' : (ignored ?? 0),
      ];
      const what = upload.readsAgain ? readsAgainText(upload) : (upload.removed?.reason ?? name);
      return [number, received.slice(0, 19), sizeOf(files), status, ...counts, by?.name ?? '', printableLine(what)];
    });
    const heads = [
      'NUMBER',
      'RECEIVED (UTC)',
      'FILES',
      'STATUS',
      'RECORDS',
      'DELETIONS',
      'ERRORS',
      'IGNORED',
      'BY',
      'NAME',
    ];
    const table = formatTable(heads, rows);
    await call.terminal.print(rows.length === 0 ? 'There is no upload.' : table, view);
  },
};

interface ShowUploadOptions {
  readonly wait?: true;
}

const POLL_MS = 500;

export const uploadsShow: CliCommand<ShowUploadOptions> = {
  group: 'uploads',
  usage: 'show <upload>',
  summary: 'Shows one upload: its status, what every file was taken for, and what became of its records.',
  examples: [
    ['uploads show lane/main/17', 'shows it as it is now'],
    ['uploads show lane/main/17 --wait', 'waits until a server has processed it: for scripts'],
  ],

  options(command) {
    command.option('--wait', 'wait until it is processed, or has failed: then the exit code is 1');
  },

  async run(call) {
    const { view, status } = await withExistingApp(call, async ({ records: { uploads } }) => {
      const upload = await namedUpload(uploads, call.args[0]);
      const state = await (call.options.wait ? settled(uploads, upload, call.stopped) : uploads.stateOf(upload));
      return { view: uploadView(upload, state, 'all'), status: statusOf(state) };
    });
    await call.terminal.print(describeUpload(view), view);
    return call.options.wait && status === 'failed' ? EXIT.failed : EXIT.done;
  },
};

/** Waits until an upload is processed, has failed, or was removed. */
export async function settled(
  uploads: Pick<App['records']['uploads'], 'stateOf'>,
  upload: Upload,
  stopped: AbortSignal,
): Promise<UploadState | undefined> {
  for (;;) {
    const state = await uploads.stateOf(upload);
    const status = statusOf(state);
    if (status !== 'waiting' && status !== 'processing') return state;
    await wait(POLL_MS, undefined, { signal: stopped });
  }
}

interface UploadErrorsOptions {
  readonly csv?: true;
}

export const uploadsErrors: CliCommand<UploadErrorsOptions> = {
  group: 'uploads',
  usage: 'errors <upload>',
  summary:
    'Lists the records of an upload that could not be read, with field, text and reason; then how many have which reason, why, and what to do.',
  examples: [
    ['uploads errors lane/main/17', 'lists them, one in a line'],
    ['uploads errors lane/main/17 --csv', 'the same as CSV, for spreadsheets'],
    ['uploads errors lane/main/17 --json', 'the same, each as a line of JSON'],
  ],

  options(command) {
    command.option('--csv', 'print CSV, with the names of the columns first');
  },

  async run(call) {
    await withExistingApp(call, async ({ records: { uploads } }) => {
      const upload = await namedUpload(uploads, call.args[0]);
      const state = await uploads.stateOf(upload);
      const body = await uploads.openErrata(upload, state);
      if (body === undefined) return;
      if (call.options.csv && !call.terminal.json) {
        for await (const row of errataAsCsv(body)) await call.terminal.write(row);
        return;
      }
      for await (const erratum of eachErratum(body)) await call.terminal.print(describeInLine(erratum), erratum);
      for (const counted of state?.read?.reasons ?? [])
        call.terminal.say(describeReason(reasonView(counted)).join('\n'));
    });
  },
};

function describeInLine(erratum: Erratum): string {
  const { path = [], warning } = erratum;
  const what = `${warning ? 'warning, the record was taken over: ' : ''}${describeErratum(erratum)}`;
  return `${printableLine(path.join(' > '))}: ${describeRecord(erratum, 'number')}: ${what}`;
}

export const uploadsRetry: CliCommand = {
  group: 'uploads',
  usage: 'retry <upload>',
  summary: 'Has an upload processed again that has failed, or at once when it waits for another attempt.',
  examples: [['uploads retry lane/main/17', 'a server processes it again']],

  async run(call) {
    const [id = ''] = call.args;
    const view = await withExistingApp(call, async (app) => {
      const upload = await namedUpload(app.records.uploads, id);
      return uploadView(upload, await app.jobs.uploads.retry(upload), 'all');
    });
    await call.terminal.print(`The upload ${id} is processed again, as soon as a server is free.`, view);
  },
};

/** What a delivery does that has no files. */
function readsAgainText({ removes }: Pick<UploadView, 'removes'>): string {
  return removes === undefined ? 'reads all uploads again' : `removes upload ${removes}`;
}

/** The upload that an argument names: `ORGANIZATION/STREAM/NUMBER`. @throws TidemarkError `invalid`, `not-found` */
export function namedUpload(uploads: Pick<Uploads, 'get'>, id = ''): Promise<Upload> {
  const [organization = '', stream = '', number, ...rest] = id.split('/');
  if (number === undefined || rest.length > 0) {
    throw new TidemarkError('invalid', `"${id}" is not an upload: write ORGANIZATION/STREAM/NUMBER`, { upload: id });
  }
  return uploads.get(organization, stream, parseUploadNumber(number));
}

function describeUpload(view: UploadView): string {
  const { organization, stream, number, name, received, by, fileUrl, files } = view;
  const rows = files.map((file) => [file.name, file.length, file.sha256]);
  return [
    `${organization}/${stream}/${number}${name === undefined ? '' : `: ${printableLine(name)}`}`,
    `  received: ${received}`,
    ...(by === undefined ? [] : [`  by: ${printableLine(describeSender(by))}`]),
    ...(fileUrl === undefined ? [] : [`  from: ${printableLine(fileUrl)}`]),
    ...(view.readsAgain ? [`  ${readsAgainText(view)}${describeReasonGiven(view)}`] : []),
    ...describeStatus(view),
    ...describeRemoved(view),
    '',
    ...describeFiles(view, rows),
    ...describeTaken(view),
  ].join('\n');
}

function describeFiles({ status, readsAgain, removed }: UploadView, rows: readonly (string | number)[][]): string[] {
  if (rows.length > 0) return [formatTable(['FILE', 'BYTES', 'SHA-256'], rows)];
  if (removed !== undefined) return ['Its files cannot be read any more.'];
  return readsAgain ? ['It has no files.'] : [`Its file was not fetched${status === 'failed' ? '' : ' yet'}.`];
}

function describeReasonGiven({ reason }: UploadView): string {
  return reason === undefined ? '' : `: ${printableLine(reason)}`;
}

function describeRemoved({ removed }: UploadView): string[] {
  if (removed === undefined) return [];
  const { at, reason, delivery, by } = removed;
  const sender = by === undefined ? '' : ` by ${describeSender(by)}`;
  return [`  removed at ${at}${sender}: ${printableLine(reason)} (delivery ${delivery})`];
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
    ? `it is tried again${failure.nextAt === undefined ? '' : ` at ${failure.nextAt}`}`
    : `send mended files as another upload; if the reason is elsewhere, try it again with "tidemark uploads retry ${organization}/${stream}/${number}"`;
  return [
    `  status: ${status}`,
    ...(failure === undefined ? [] : [`  failed at ${failure.at}: ${printableLine(failure.error)} (${retries})`]),
    ...(applied === undefined ? [] : [`  published: ${describeApplied(applied)}`]),
    ...(totals === undefined || (totals.errors === 0 && totals.warnings === undefined)
      ? []
      : [`  ${foundText(totals)}: list them with "tidemark uploads errors ${organization}/${stream}/${number}"`]),
    ...reasons.flatMap(describeReason).map((line) => `    ${line}`),
  ];
}

function foundText({ errors, warnings }: NonNullable<UploadView['totals']>): string {
  const warned =
    warnings === undefined ? '' : `, and warnings of records that were taken over: ${formatCount(warnings)}`;
  return `errors: ${formatCount(errors)}${warned}`;
}

function describeTaken({ taken, totals }: UploadView): string[] {
  if (taken === undefined || taken.length === 0 || totals === undefined) return [];
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
