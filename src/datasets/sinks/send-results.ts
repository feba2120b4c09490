import { isTidemarkError, TidemarkError, unlessConflict } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { updateDocument } from '../../stores/update-document.ts';
import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';
import { manifestFilesOf } from './manifest-files.ts';
import { hasResult, rowOf } from './result-row.ts';
import type { LeftOut, ResultSink, SentResult, SinkName } from './result-sink.ts';

/** The document `dataset-sink`: up to which version of the requests a sink has got their results. */
interface SinkCursor {
  readonly target: string;
  readonly version: number;
  /** Requests that were put since then, as of the last attempt. */
  readonly behind: number;
  /** While it does not answer: since when, in milliseconds since 1970, and what it last said. */
  readonly waiting?: { readonly since: number; readonly reason: string };
}

type StoredCursor = CatalogDocument<SinkCursor>;

const KIND = 'dataset-sink';
const REQUESTS = 'dataset-request';

/** Results and files of a batch. */
const MOST_RESULTS = 50;
const MOST_FILES = 1_000;

const WAIT_MS = { shortest: 1_000, longest: 60_000 };

interface SendingParts {
  readonly catalog: Catalog;
  readonly name: SinkName;
  readonly target: string;
  open(): Promise<ResultSink>;
  readonly datasets: Pick<Datasets, 'manifest'>;
  /** From which a manifest can be read. @param id of the request */
  urlOf(id: string): string | undefined;
  readonly signal: AbortSignal;
  onLeftOut(leftOut: LeftOut): void;
}

function readCursor(catalog: Pick<Catalog, 'get'>, name: SinkName): Promise<StoredCursor | undefined> {
  return catalog.get<SinkCursor>(KIND, name);
}

/** How far each sink lags, for people. */
export async function sinkLags(catalog: Pick<Catalog, 'list'>) {
  const cursors = await catalog.list<SinkCursor>(KIND);
  return cursors.map(({ id: sink, body: { behind, waiting } }) => ({
    sink,
    behind,
    ...(waiting && { waiting: { since: new Date(waiting.since).toISOString(), reason: waiting.reason } }),
  }));
}

/** Whether there is something that a sink may not have got. */
export async function isBehind(catalog: Catalog, name: SinkName, target: string): Promise<boolean> {
  const head = await catalog.head(REQUESTS);
  if (head === 0) return false;
  const cursor = (await readCursor(catalog, name))?.body;
  return head > (cursor?.target === target ? cursor.version : 0);
}

/**
 * Sends the results that a sink has not got yet, until there are none. What was sent before this process was killed is
 * sent again. Returns the number of results.
 * @throws JobWaits while the sink does not answer; TidemarkError `conflict` when another process sends, too: then what
 *   both have sent is sent again
 */
export async function sendResults(parts: SendingParts): Promise<number> {
  try {
    const sink = await parts.open();
    try {
      return await sendAll(sink, parts);
    } finally {
      await sink.close();
    }
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable') || error.details.sink !== parts.name) throw error;
    throw await waitingFor(error, parts);
  }
}

async function sendAll(sink: ResultSink, parts: SendingParts): Promise<number> {
  const { catalog, signal } = parts;
  let cursor = await beginning(sink, parts);
  let count = 0;
  for (;;) {
    const head = await catalog.head(REQUESTS);
    if (head <= cursor.body.version) return count;
    const documents = await catalog.list<RequestDocument>(REQUESTS, cursor.body.version);
    const sorted = documents.toSorted((one, other) => one.version - other.version);
    let done = 0;
    for await (const { results, read, version } of batchesOf(sorted, parts)) {
      signal.throwIfAborted();
      for (const leftOut of await sink.send(results)) parts.onLeftOut(leftOut);
      failpoint('sink.sent');
      count += results.length;
      done += read;
      // Behind the head, documents may be missing in the list.
      const next = { ...cursor.body, version: Math.min(version, head), behind: sorted.length - done };
      cursor = await advanced(cursor, next, parts);
    }
  }
}

/** The cursor to begin with: at the first result for a new target, and for one that was emptied. */
async function beginning(sink: ResultSink, { catalog, name, target }: SendingParts): Promise<StoredCursor> {
  const stored = await readCursor(catalog, name);
  const exists = await sink.exists();
  if (exists && stored?.body.target === target) return withoutWaiting(stored);
  // First: a process that is killed after it has made the table would leave out what was sent before.
  const body: SinkCursor = { target, version: 0, behind: 0 };
  const version = await catalog.put(KIND, name, body, stored?.version);
  if (!exists) await sink.create();
  return { id: name, version, body };
}

function withoutWaiting(cursor: StoredCursor): StoredCursor {
  const { waiting: _, ...body } = cursor.body;
  return { ...cursor, body };
}

interface Batch {
  readonly results: readonly SentResult[];
  /** Documents, also those without a result. */
  readonly read: number;
  /** Of the last one. */
  readonly version: number;
}

async function* batchesOf(
  documents: readonly CatalogDocument<RequestDocument>[],
  parts: SendingParts,
): AsyncGenerator<Batch> {
  let results: SentResult[] = [];
  let files = 0;
  let read = 0;
  for (const { id, body, version } of documents) {
    read += 1;
    if (hasResult(body)) {
      const baseUrl = body.request.base_url;
      const onMissing = (reason: string) => parts.onLeftOut({ baseUrl, what: 'manifest', reason });
      const row = rowOf(body, await manifestFilesOf(body, parts.datasets, onMissing));
      results.push({ document: body, row, manifestUrl: parts.urlOf(id) });
      files += row.manifest?.length ?? 0;
    }
    if (results.length < MOST_RESULTS && files < MOST_FILES && version !== documents.at(-1)?.version) continue;
    yield { results, read, version };
    results = [];
    files = 0;
    read = 0;
  }
}

async function advanced(
  cursor: StoredCursor,
  body: SinkCursor,
  { catalog, name }: SendingParts,
): Promise<StoredCursor> {
  const version = await unlessConflict(catalog.put(KIND, name, body, cursor.version));
  if (version !== undefined) return { id: name, version, body };
  // What this process has just sent may be older than what the other one had sent.
  const { target, version: began } = cursor.body;
  await updateDocument<SinkCursor>(catalog, { kind: KIND, id: name }, (before = body) =>
    before.target === target && before.version > began ? { ...before, version: began } : before,
  );
  throw new TidemarkError('conflict', `another process sends results to the sink ${name}, too`, { sink: name });
}

/** Records what the sink said, for the metrics and for the pauses between attempts. */
async function waitingFor({ message }: TidemarkError, parts: SendingParts): Promise<JobWaits> {
  const { catalog, name, target } = parts;
  const version = (await readCursor(catalog, name))?.body.version ?? 0;
  const behind = (await catalog.list(REQUESTS, version)).length;
  const now = Date.now();
  const { waiting } = await updateDocument<SinkCursor>(
    catalog,
    { kind: KIND, id: name },
    (before = { target, version: 0, behind }) => ({
      ...before,
      behind,
      waiting: { since: before.waiting?.since ?? now, reason: message },
    }),
  );
  const againMs = Math.min(Math.max(now - waiting!.since, WAIT_MS.shortest), WAIT_MS.longest);
  return new JobWaits(message, { againMs });
}
