import { hash, randomBytes } from 'node:crypto';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { updateDocument } from '../../stores/update-document.ts';
import type { IngestOptions, IngestRequest, IngestResult, RequestDocument } from '../request.ts';

export const REQUEST_KIND = 'dataset-request';
/** Documents that are written at the same time. */
const WRITES = 8;
const TOKEN_BYTES = 8;

/** A request among those of its URL. */
export interface NamedRequest {
  readonly id: string;
  readonly token: string;
}

interface RequestsParts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  /** The jobs that do requests. */
  readonly jobs: {
    nameOf(request: NamedRequest): string;
    add(requests: readonly NamedRequest[]): Promise<unknown>;
  };
}

/** What a request is for, besides its URL. */
export interface AskedFor {
  readonly set: string;
  readonly options: IngestOptions;
}

/** The id of the document of a URL: 32 hexadecimal digits. */
export function requestId({ ingest_type, base_url }: Pick<IngestRequest, 'ingest_type' | 'base_url'>): string {
  return hash('sha256', JSON.stringify([ingest_type, base_url]), 'hex').slice(0, 32);
}

/** The documents of requests. Every change is a compare-and-set, so any number of processes may make them. */
export class Requests {
  readonly #parts: RequestsParts;

  constructor(parts: RequestsParts) {
    this.#parts = parts;
  }

  /**
   * Records requests, and adds a job for each. If the process is killed in between, another one adds it. A request of a
   * URL whose request waits or runs is the same one.
   */
  async add(requests: readonly IngestRequest[], asked: AskedFor): Promise<readonly RequestDocument[]> {
    const documents: RequestDocument[] = [];
    const own: NamedRequest[] = [];
    for await (const { document, name } of mapInOrder(requests, WRITES, (request) => this.#wait(request, asked))) {
      documents.push(document);
      if (document.token === name.token) own.push(name);
    }
    failpoint('dataset.requested');
    await this.#parts.jobs.add(own);
    return documents;
  }

  /** @throws TidemarkError `not-found` */
  async get(id: string): Promise<RequestDocument> {
    const found = await this.#parts.catalog.get<RequestDocument>(REQUEST_KIND, id);
    if (found !== undefined) return found.body;
    throw new TidemarkError('not-found', `there is no request ${id} of a dataset`, { request: id });
  }

  /** Queues a request again. @throws TidemarkError `not-found`; `conflict` while it waits or runs */
  async retry(id: string): Promise<RequestDocument> {
    const { request, options, set, state } = await this.get(id);
    const [document] = state === 'ended' ? await this.add([request], { options, set }) : [];
    if (document !== undefined) return document;
    const what = state === 'running' ? 'is being ingested' : 'waits for its job';
    throw new TidemarkError('conflict', `${request.base_url} ${what}: wait for its result`, { request: id });
  }

  /** Records that its job has begun. Undefined when a later request has replaced it, or when it has its result. */
  async begin(name: NamedRequest): Promise<RequestDocument | undefined> {
    const document = await this.#change(name, ({ isUndone: _, ...before }) => ({ ...before, state: 'running' }));
    return document?.token === name.token && document.state === 'running' ? document : undefined;
  }

  /** Ends a request. Changes nothing when a later one has replaced it, or when it has a result already (D49). */
  async end(name: NamedRequest, result: IngestResult): Promise<void> {
    await this.#change(name, (before) => (before.state === 'ended' ? before : { ...before, state: 'ended', result }));
  }

  /**
   * Ends a request whose job has failed or was cancelled.
   * @param isCancelled its last result stays, if there is one
   */
  async fail(name: NamedRequest, result: IngestResult, isCancelled: boolean): Promise<void> {
    await this.#change(name, (before) => {
      if (before.isUndone) return before;
      const last = isCancelled ? before.result : undefined;
      return { ...before, state: 'ended', isUndone: true, result: last ?? result };
    });
  }

  /** Records a request together with its result. One of the same URL that waits or runs is replaced. */
  async record(request: IngestRequest, { set, options }: AskedFor, result: IngestResult): Promise<RequestDocument> {
    const id = requestId(request);
    const token = newToken();
    return updateDocument<RequestDocument>(this.#parts.catalog, { kind: REQUEST_KIND, id }, () => {
      return { request, options, set, requested: Date.now(), token, state: 'ended', result };
    });
  }

  async #wait(request: IngestRequest, { set, options }: AskedFor) {
    const name = { id: requestId(request), token: newToken() };
    const job = this.#parts.jobs.nameOf(name);
    const requested = Date.now();
    const place = { kind: REQUEST_KIND, id: name.id } as const;
    const document = await updateDocument<RequestDocument>(this.#parts.catalog, place, (before) => {
      if (before !== undefined && before.state !== 'ended') return before;
      const last = before?.result === undefined ? {} : { result: before.result };
      return { request, options, set, requested, token: name.token, job, state: 'waiting', ...last };
    });
    return { document, name };
  }

  /** Changes a request that has no result yet, and was not replaced. Returns the document of its URL. */
  #change(
    { id, token }: NamedRequest,
    change: (before: RequestDocument) => RequestDocument,
  ): Promise<RequestDocument | undefined> {
    const place = { kind: REQUEST_KIND, id } as const;
    return updateDocument<RequestDocument | undefined>(this.#parts.catalog, place, (before) => {
      const isDone = before?.state === 'ended' && before.isUndone !== true;
      return before?.token === token && !isDone ? change(before) : before;
    });
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
