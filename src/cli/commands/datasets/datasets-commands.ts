import {
  type DatasetFileView,
  type DatasetRequestView,
  datasetFilesView,
  datasetRequestView,
  REQUEST_STATES,
} from '../../../api/dataset-view.ts';
import type { App } from '../../../app.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import type { ListedRequest, RequestFilter } from '../../../datasets/results/request-list.ts';
import { requestId } from '../../../datasets/results/requests.ts';
import { DATASET_STATUSES, type DatasetStatus } from '../../../datasets/status.ts';
import { csvRow } from '../../../lib/csv.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { oneOf, wholeNumber } from '../../options.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { addOrganizations } from '../../with-organizations.ts';
import { addRequestOptions, askedOf, givenRequests, type RequestOptions, SET_SETTINGS } from './dataset-options.ts';
import { describeFiles, describeRequest, requestLine, statusOf } from './describe-dataset.ts';

const AT_ONCE = 500;
const JOBS = '"tidemark serve" and "tidemark work --kinds ingest-dataset" run their jobs.';

export const datasetsAdd: CliCommand<RequestOptions> = {
  group: 'datasets',
  usage: 'add <urls...>',
  summary: 'Requests datasets for later: a job in a server or a worker process ingests each.',
  examples: [
    ['datasets add https://doi.org/10.7910/DVN/CLSFKX', 'one dataset'],
    ['datasets add - < requests.jsonl', 'requests as JSON, URLs or DOIs, one a line'],
  ],
  settings: SET_SETTINGS,
  options: addRequestOptions,

  async run(call) {
    const batches = givenRequests(call);
    const counts = await addOrganizations(call, (app) => addAll(call, app, batches));
    const { added, rejected } = counts;
    call.terminal.say(
      `Added ${plural(added, 'request')}${rejected > 0 ? `; ${plural(rejected, 'line')} rejected` : ''}.`,
    );
    if (added > 0) call.terminal.say(JOBS);
    return rejected > 0 ? EXIT.failed : EXIT.done;
  },
};

async function addAll(
  { terminal, options, stopped }: Call<RequestOptions>,
  { datasets }: App,
  batches: ReturnType<typeof givenRequests>,
) {
  const counts = { added: 0, rejected: 0 };
  for await (const batch of batches) {
    stopped.throwIfAborted();
    const requests = batch.flatMap(({ request }) => (request === undefined ? [] : [request]));
    for (const { number, problem } of batch) {
      if (problem === undefined) continue;
      counts.rejected += 1;
      await terminal.print(`line ${number}: ${problem.message}`, { number, status: 'rejected', ...problem });
    }
    for (const document of await datasets.add(requests, askedOf(options))) {
      const view = viewOf(document);
      await terminal.print(`${view.id}  ${view.request.base_url}`, view);
    }
    counts.added += requests.length;
  }
  return counts;
}

interface ListOptions extends Omit<RequestFilter, 'after' | 'isShown'> {}

export const datasetsList: CliCommand<ListOptions> = {
  group: 'datasets',
  usage: 'list',
  summary: 'Lists the requests of datasets, the newest first, with their last results.',
  examples: [['datasets list --status platform-restricted', 'lists those whose files are not public']],

  options(command) {
    command
      .option('--status <status>', 'only those whose last result has this status', oneOf(...DATASET_STATUSES))
      .option('--state <state>', `only those that are ${REQUEST_STATES.join(', ')}`, oneOf(...REQUEST_STATES))
      .option('--set <id>', 'only those of this set')
      .option('--limit <number>', 'how many, at most', wholeNumber(1, 10_000), 20);
  },

  async run(call) {
    const { status, state, set, limit } = call.options;
    const found = await withExistingApp(call, async ({ datasets, sets }) => {
      // A name that was mistyped must not give an empty list.
      if (set !== undefined) await sets.bySlug(set);
      return datasets.list({ status, state, set, limit });
    });
    const requests = found.requests.map(datasetRequestView);
    const heads = ['STATUS', 'PLATFORM', 'FILES', 'SIZE', 'REQUESTED (UTC)', 'SET', 'URL'];
    const table = formatTable(heads, requests.map(rowOf));
    const { next } = found;
    await call.terminal.print(requests.length === 0 ? 'There is no such request.' : table, {
      requests,
      ...(next !== undefined && { next }),
    });
    if (next !== undefined) call.terminal.say('There are more requests: --limit shows them.');
  },
};

function rowOf(view: DatasetRequestView): readonly (string | number)[] {
  const { platform = '', file_count: files = '', total_size: size } = view.result ?? {};
  const sized = size === undefined ? '' : formatBytes(size);
  return [statusOf(view), platform, files, sized, view.requested.slice(0, 19), view.set, view.request.base_url];
}

export const datasetsShow: CliCommand = {
  group: 'datasets',
  usage: 'show <url>',
  summary: 'Shows a request of a dataset and its last result, by its URL, DOI or id.',
  examples: [['datasets show doi:10.7910/DVN/CLSFKX', 'with the status, and what to do about it']],

  async run(call) {
    const view = await withExistingApp(call, async (app) => datasetRequestView(await named(app, call.args[0]!)));
    await call.terminal.print(describeRequest(view), view);
  },
};

interface FilesOptions {
  readonly csv?: true;
}

const FILE_COLUMNS = [
  'status',
  'path',
  'size',
  'md5',
  'sha1',
  'sha256',
  'mimetype',
  'platform_url',
  'message',
] as const;

function cellsOf(file: DatasetFileView) {
  return FILE_COLUMNS.map((column) => file[column]);
}

function withoutFiles(view: DatasetRequestView): string {
  return `There is no list of files. ${requestLine(view)}`;
}

export const datasetsFiles: CliCommand<FilesOptions> = {
  group: 'datasets',
  usage: 'files <url>',
  summary: 'Lists the files of the last result of a request, with their hashes; of those that failed, the reason.',
  examples: [
    ['datasets files doi:10.7910/DVN/CLSFKX --json', 'the whole manifest'],
    ['datasets files doi:10.7910/DVN/CLSFKX --csv > files.csv', 'for a spreadsheet'],
  ],

  options(command) {
    command.option('--csv', 'as CSV, with the names of the columns');
  },

  async run(call) {
    const { terminal, options } = call;
    if (options.csv && terminal.json) throw new TidemarkError('invalid', 'use one of --json and --csv');
    const { request, view } = await withExistingApp(call, async (app) => {
      const found = await named(app, call.args[0]!);
      const all = { at: 0, limit: Number.MAX_SAFE_INTEGER };
      const manifest = await app.datasets.manifest(found.document);
      return { request: datasetRequestView(found), view: datasetFilesView(found.id, manifest, all) };
    });
    const { bundle } = view;
    const files = bundle === undefined ? view.files : [bundle, ...view.files];
    const notes = [
      ...(bundle === undefined ? [] : [`${bundle.path} alone is stored; the others are in it`]),
      ...(view.notes ?? []),
    ];
    if (options.csv) await terminal.write([FILE_COLUMNS, ...files.map(cellsOf)].map(csvRow).join(''));
    else await terminal.print(files.length === 0 ? withoutFiles(request) : describeFiles(files, notes), view);
  },
};

interface RetryOptions {
  readonly status?: DatasetStatus;
}

export const datasetsRetry: CliCommand<RetryOptions> = {
  group: 'datasets',
  usage: 'retry [urls...]',
  summary: 'Queues requests again: the given ones, or all whose last result has a status.',
  examples: [['datasets retry --status no-capture', 'tries again what did not answer']],

  options(command) {
    command.option('--status <status>', 'all whose last result has this status', oneOf(...DATASET_STATUSES));
  },

  async run({ args, options: { status }, terminal, ...call }) {
    if (args.length === 0 && status === undefined) {
      throw new TidemarkError(
        'invalid',
        'name what to try again: URLs, or --status STATUS, such as --status no-capture',
      );
    }
    await withExistingApp({ ...call, terminal }, async (app) => {
      const found: ListedRequest[] = [];
      for (const text of args) found.push(await named(app, text));
      const ids = new Set([...found.map(({ id }) => id), ...(status === undefined ? [] : await idsOf(app, status))]);
      let queued = 0;
      for (const id of ids) {
        const document = await app.datasets.retry(id).catch((error: unknown) => {
          // Another one has queued it meanwhile; a request that is named is refused.
          if (status === undefined || !isTidemarkError(error, 'conflict')) throw error;
          return undefined;
        });
        if (document === undefined) continue;
        const view = viewOf(document);
        await terminal.print(`${view.id}  ${view.request.base_url}`, view);
        queued += 1;
      }
      terminal.say(`Queued ${plural(queued, 'request')} again.${queued > 0 ? ` ${JOBS}` : ''}`);
    });
  },
};

async function idsOf({ datasets }: App, status: DatasetStatus): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const { requests, next } = await datasets.list({ status, state: 'ended', after, limit: AT_ONCE });
    ids.push(...requests.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return ids;
}

/** The request that a person names by its URL, DOI or id. @throws TidemarkError `not-found`, `invalid` */
async function named({ datasets }: App, text: string): Promise<ListedRequest> {
  if (/^[0-9a-f]{32}$/.test(text)) return { id: text, document: await datasets.byId(text) };
  const document = await datasets.get(text);
  return { id: requestId(document.request), document };
}

function viewOf(document: ListedRequest['document']): DatasetRequestView {
  return datasetRequestView({ id: requestId(document.request), document });
}
