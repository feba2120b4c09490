import { isDeepStrictEqual } from 'node:util';
import type { Client, estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { type Job, type JobState, jobName, LONGEST_PAUSE_MS } from '../job.ts';
import type { DueJobs, JobCount, JobFilter, JobRecords, OpenJobs, StoredJob } from '../job-records.ts';
import { refusalIn } from './bulk.ts';
import type { AroundWrite } from './fence/write-block.ts';
import type { IndexNames } from './index-names.ts';

/** Number of jobs that one request removes. */
const REMOVED_AT_ONCE = 1_000;
const MOST_RUNNING = 10_000;
const MOST_KINDS = 1_000;

interface Source {
  readonly body: { readonly value: unknown };
}

interface KindBucket {
  readonly key: string;
  readonly states: { readonly buckets: readonly { readonly key: JobState; readonly doc_count: number }[] };
}

type Stored = Pick<estypes.GetGetResult<Source>, '_seq_no' | '_primary_term' | '_source'>;

/**
 * Stores one document for each job. Its version is the `_seq_no` and `_primary_term`. Readers refresh the index before
 * they search, which costs little when nothing was written.
 */
export class ElasticsearchJobs implements JobRecords {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #around: AroundWrite;

  constructor(cluster: Cluster, names: IndexNames, around: AroundWrite) {
    this.#cluster = cluster;
    this.#names = names;
    this.#around = around;
  }

  async create(jobs: readonly Job[]): Promise<number> {
    if (jobs.length === 0) return 0;
    const lines = jobs.map((job) => {
      const action = { create: { _id: jobName(job), require_alias: true } };
      return `${JSON.stringify(action)}\n${JSON.stringify(toDocument(job))}\n`;
    });
    const items = await this.#bulk(lines);
    return items.filter((item) => item.create?.status === 201).length;
  }

  async get(name: string): Promise<StoredJob | undefined> {
    const stored = await this.#get(name);
    return stored && toStored(stored);
  }

  async replace(job: Job, version: string): Promise<string | undefined> {
    const name = jobName(job);
    const [seqNo, term] = version.split('-').map(Number);
    const write = { index: this.#names.jobs, id: name, document: toDocument(job), require_alias: true };
    const known = { if_seq_no: seqNo!, if_primary_term: term! };
    const send = (client: Client) => client.index({ ...write, ...known }, { ignore: [409], meta: true });
    const written = await this.#around(() => this.#cluster.ask(send));
    if (written.statusCode < 400) return versionOf(written.body);
    // The client repeats a request whose response was lost: exactly this document is then stored.
    const stored = await this.get(name);
    return stored !== undefined && isDeepStrictEqual(stored.job, plain(job)) ? stored.version : undefined;
  }

  async open(kinds: readonly string[], { now, limit, except = [] }: DueJobs): Promise<OpenJobs> {
    await this.#refresh();
    const filter = [inState('queued'), ofKinds(kinds)];
    const later = { range: { not_before: { gt: now, lte: now + LONGEST_PAUSE_MS } } };
    const sort: estypes.Sort = [{ added: 'asc' }, { name: 'asc' }];
    const must_not = [later, ...except.map((beginning) => ({ prefix: { name: beginning } }))];
    const due = { query: { bool: { filter, must_not } }, sort, size: limit };
    const running = { query: { bool: { filter: [inState('running'), ofKinds(kinds)] } }, size: MOST_RUNNING };
    const searches = [due, running].map((search) => ({ seq_no_primary_term: true, ...search }));
    const found = await this.#cluster.hitsOfEach<Source>(this.#names.jobs, searches);
    const [foundDue, foundRunning] = found.map((hits) => hits.map(toStored));
    return { due: foundDue!, running: foundRunning! };
  }

  async list({ states, kinds, after, limit }: JobFilter): Promise<readonly Job[]> {
    const filter = [
      { term: { doc_type: 'job' } },
      ...(states === undefined ? [] : [{ terms: { state: [...states] } }]),
      ...(kinds === undefined ? [] : [ofKinds(kinds)]),
    ];
    const found = await this.#search({
      query: { bool: { filter } },
      sort: [{ added: 'desc' }, { name: 'desc' }],
      size: limit,
      ...(after !== undefined && { search_after: [after.added, jobName(after)] }),
    });
    return found.map(({ job }) => job);
  }

  async counts(): Promise<readonly JobCount[]> {
    await this.#refresh();
    const { aggregations } = await this.#cluster.ask((client) =>
      client.search<unknown, { kinds: { buckets: readonly KindBucket[] } }>({
        index: this.#names.jobs,
        allow_partial_search_results: false,
        size: 0,
        track_total_hits: false,
        query: { term: { doc_type: 'job' } },
        aggs: {
          kinds: { terms: { field: 'kind', size: MOST_KINDS }, aggs: { states: { terms: { field: 'state' } } } },
        },
      }),
    );
    return aggregations!.kinds.buckets.flatMap(({ key: kind, states }) =>
      states.buckets.map(({ key: state, doc_count: count }) => ({ kind, state, count })),
    );
  }

  async log(name: string): Promise<readonly string[]> {
    const stored = await this.#get(logId(name));
    return (stored?._source?.body.value as string[] | undefined) ?? [];
  }

  async putLog(name: string, lines: readonly string[]): Promise<void> {
    const document = { doc_type: 'log', name, body: { value: lines } };
    const place = { index: this.#names.jobs, id: logId(name), require_alias: true };
    await this.#around(() => this.#cluster.ask((client) => client.index({ ...place, document })));
  }

  async remove(state: JobState, finishedBefore: number): Promise<number> {
    const filter = [inState(state), { range: { finished: { lt: finishedBefore } } }];
    let removed = 0;
    for (;;) {
      const found = await this.#search({ query: { bool: { filter } }, size: REMOVED_AT_ONCE });
      if (found.length === 0) return removed;
      const items = await this.#bulk(found.map(deletion));
      const deleted = found.filter((_, at) => items[at]?.delete?.status === 200);
      // Jobs that were retried meanwhile are kept.
      if (deleted.length === 0) return removed;
      await this.#bulk(deleted.map(({ job }) => `${JSON.stringify({ delete: { _id: logId(jobName(job)) } })}\n`));
      removed += deleted.length;
    }
  }

  async #get(id: string): Promise<Stored | undefined> {
    const place = { index: this.#names.jobs, id };
    const stored = await this.#cluster.ask((client) => client.get<Source>(place, { ignore: [404] }));
    return stored.found ? stored : undefined;
  }

  async #search(search: Parameters<Cluster['hits']>[0]): Promise<readonly StoredJob[]> {
    await this.#refresh();
    const hits = await this.#cluster.hits<Source>({ index: this.#names.jobs, seq_no_primary_term: true, ...search });
    return hits.map(toStored);
  }

  async #refresh(): Promise<void> {
    await this.#cluster.refresh(this.#names.jobs);
  }

  #bulk(lines: readonly string[]) {
    return this.#around(() => this.#sendBulk(lines));
  }

  async #sendBulk(lines: readonly string[]) {
    const response = await this.#cluster.bulk(lines.join(''), { index: this.#names.jobs });
    const refusal = refusalIn(response);
    if (refusal === undefined) return response.items ?? [];
    const { type, reason } = refusal;
    throw new TidemarkError('unavailable', `Elasticsearch at ${this.#cluster.name} refuses a job: ${reason}`, { type });
  }
}

function toDocument(job: Job): object {
  const { kind, state, added, notBefore, finished } = job;
  const times = { added, not_before: notBefore, ...(finished !== undefined && { finished }) };
  return { doc_type: 'job', name: jobName(job), kind, state, ...times, body: { value: job } };
}

function toStored(stored: Stored): StoredJob {
  return { job: stored._source!.body.value as Job, version: versionOf(stored) };
}

function versionOf({ _seq_no, _primary_term }: Pick<Stored, '_seq_no' | '_primary_term'>): string {
  return `${_seq_no}-${_primary_term}`;
}

/** The job as it is read from the store. */
function plain(job: Job): unknown {
  return JSON.parse(JSON.stringify(job));
}

function logId(name: string): string {
  return `log:${name}`;
}

function deletion({ job, version }: StoredJob): string {
  const [seqNo, term] = version.split('-').map(Number);
  return `${JSON.stringify({ delete: { _id: jobName(job), if_seq_no: seqNo, if_primary_term: term } })}\n`;
}

function inState(state: JobState) {
  return { term: { state } };
}

function ofKinds(kinds: readonly string[]) {
  return { terms: { kind: [...kinds] } };
}
