import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import { latestPages } from '../stores/latest-pages.ts';
import type { Dataset } from './dataset.ts';
import type { Datasets, IngestAttempt } from './datasets.ts';
import type { IngestResult } from './request.ts';
import { DEFAULT_SET, ensureSet } from './results/ensure-set.ts';
import { readManifest } from './results/manifests.ts';
import { parseBaseUrl, parseRequest } from './results/parse-request.ts';
import { RequestIndex } from './results/request-index.ts';
import type { AskedRequests } from './results/request-list.ts';
import { type AskedFor, type NamedRequest, Requests, requestId } from './results/requests.ts';

interface DatasetsParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  /** The jobs that do requests. */
  readonly jobs: ConstructorParameters<typeof Requests>[0]['jobs'];
  /** Syncs a set with its source now: some paths of it. */
  syncSet(set: ResourceSet, under: readonly string[]): Promise<unknown>;
}

/** The use cases of datasets, and what jobs do. */
export interface OpenDatasets extends Datasets {
  /** Does a request that has a job. Undefined when a later request has replaced it. */
  run(name: NamedRequest, attempt: IngestAttempt & { readonly isLast: boolean }): Promise<IngestResult | undefined>;
  /** Ends a request whose job has ended without a result. */
  fail(name: NamedRequest, reason: EndedJob): Promise<void>;
  /** The requests that wait or run, with their jobs. */
  open(): ReturnType<RequestIndex['open']>;
}

/** Why a job has no result. */
export interface EndedJob {
  readonly isCancelled: boolean;
  readonly message: string;
}

const PAGE = 250;

/** Loads what fetches and stores datasets when it is first used: most processes never ingest any. */
export function openDatasets(parts: DatasetsParts): OpenDatasets {
  const { catalog, sets, artifacts } = parts;
  const requests = new Requests(parts);
  const index = new RequestIndex(catalog);
  const askedFor = async ({ set: slug = DEFAULT_SET, options = {} }: AskedRequests): Promise<AskedFor> => {
    const set = await ensureSet(sets, slug);
    return { set: set.slug, options };
  };
  return {
    async add(given, asked) {
      const parsed = given.map(parseRequest);
      return requests.add(parsed, await askedFor(asked));
    },

    async list(filter) {
      const { ids, next } = await index.find(filter);
      const found = await Promise.all(ids.map(async (id) => ({ id, document: await requests.get(id) })));
      return { requests: found, next };
    },

    async get(text) {
      const base_url = parseBaseUrl(text);
      try {
        return await requests.get(requestId({ ingest_type: 'dataset', base_url }));
      } catch (error) {
        if (!isTidemarkError(error, 'not-found')) throw error;
        throw notRequested(base_url, await index.nearest(base_url));
      }
    },

    byId: (id) => requests.get(id),

    async manifest({ result }) {
      return result?.manifest === undefined ? undefined : readManifest(artifacts, result.manifest);
    },

    retry: (id) => requests.retry(id),

    async *stored(set) {
      const prefix = set === undefined ? '' : `${set}/`;
      for await (const { documents } of latestPages<Dataset>(catalog, { kind: 'dataset', prefix, limit: PAGE })) {
        yield* documents.map(({ body }) => body);
      }
    },

    open: () => index.open(),

    async fail(name, { isCancelled, message }) {
      const status = isCancelled ? 'cancelled' : 'error-backend';
      const result = { hit: false, status, message, updated: Date.now() } as const;
      await (isCancelled ? requests.cancel(name, result) : requests.end(name, result));
    },

    ingest: () => Promise.reject(new Error('not built yet')),
    plan: () => Promise.reject(new Error('not built yet')),
    run: () => Promise.reject(new Error('not built yet')),
  };
}

function notRequested(url: string, nearest: string | undefined): TidemarkError {
  const meant = nearest === undefined ? 'add it with "tidemark datasets add URL"' : `did you mean ${nearest}?`;
  return new TidemarkError('not-found', `no dataset was requested of ${url}: ${meant}`, { url });
}
