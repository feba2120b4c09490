import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import { latestPages } from '../stores/latest-pages.ts';
import type { Dataset } from './dataset.ts';
import type { Datasets, IngestAttempt } from './datasets.ts';
import type { IngestResult, RequestDocument } from './request.ts';
import { DEFAULT_SET, ensureSet } from './results/ensure-set.ts';
import { readManifest } from './results/manifests.ts';
import { parseBaseUrl, parseRequest } from './results/parse-request.ts';
import { type OpenSome, RequestIndex } from './results/request-index.ts';
import type { AskedRequests } from './results/request-list.ts';
import { type AskedFor, type NamedRequest, Requests, requestId } from './results/requests.ts';
import { mayPass } from './status.ts';

interface DatasetsParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  /** The jobs that do requests. */
  readonly jobs: ConstructorParameters<typeof Requests>[0]['jobs'];
  /** Syncs a set with some of its datasets now, by their folders. */
  syncFolders(set: ResourceSet, folders: readonly string[]): Promise<unknown>;
}

/** The use cases of datasets, and what jobs do. */
export interface OpenDatasets extends Datasets {
  /** Does a request that has a job. Undefined when a later request has replaced it. */
  run(name: NamedRequest, attempt: IngestAttempt & { readonly isLast: boolean }): Promise<IngestResult | undefined>;
  /** Ends a request whose job has ended without a result. */
  fail(name: NamedRequest, reason: EndedJob): Promise<void>;
  /** The next requests that wait or run, with their jobs, over and over. */
  open(most: number): Promise<OpenSome>;
  /** Removes files of attempts that have led to nothing. Returns how many. */
  removeUnused(signal: AbortSignal): Promise<number>;
}

/** Why a job has no result. */
export interface EndedJob {
  readonly isCancelled: boolean;
  readonly message: string;
}

const PAGE = 250;

/** `closers` close what this opens. What fetches datasets is loaded with the first one: most processes never do. */
export function openDatasets(parts: DatasetsParts, closers: Closers): OpenDatasets {
  const { catalog, sets } = parts;
  const requests = new Requests(parts);
  const index = new RequestIndex(catalog);
  const askedFor = async ({ set: slug = DEFAULT_SET, options = {} }: AskedRequests): Promise<AskedFor> => {
    const set = await ensureSet(sets, slug);
    return { set: set.slug, options };
  };
  return {
    ...reading(parts, requests, index),
    ...ingesting({ ...parts, requests, askedFor, ingest: onceLoaded(parts, closers) }),

    add: async (given, asked) => requests.add(given.map(parseRequest), await askedFor(asked)),
    retry: (id) => requests.retry(id),
    open: (most) => index.open(most),

    async removeUnused(signal) {
      const { removeUnused } = await import('./results/remove-unused.ts');
      return removeUnused(parts, signal);
    },

    async fail(name, { isCancelled, message }) {
      const status = isCancelled ? 'cancelled' : 'error-backend';
      const result = { hit: false, status, message, updated: Date.now() } as const;
      await requests.fail(name, result, isCancelled);
    },
  };
}

type Reads = Pick<OpenDatasets, 'list' | 'get' | 'byId' | 'manifest' | 'stored'>;

function reading({ catalog, artifacts }: DatasetsParts, requests: Requests, index: RequestIndex): Reads {
  return {
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

    async *stored(set) {
      const prefix = set === undefined ? '' : `${set}/`;
      for await (const { documents } of latestPages<Dataset>(catalog, { kind: 'dataset', prefix, limit: PAGE })) {
        for (const { body } of documents) if (body.removed === undefined) yield body;
      }
    },
  };
}

interface IngestingParts extends DatasetsParts {
  readonly requests: Requests;
  askedFor(asked: AskedRequests): Promise<AskedFor>;
  ingest: ReturnType<typeof onceLoaded>;
}

function ingesting(parts: IngestingParts): Pick<OpenDatasets, 'ingest' | 'plan' | 'run'> {
  const { requests, askedFor, ingest } = parts;
  return {
    async ingest(given, asked) {
      const request = parseRequest(given);
      const target = await askedFor(asked);
      const { module, open } = await ingest();
      const outcome = await module.ingestDataset({ ...asked, ...target, request }, open);
      const document = await requests.record(request, target, await module.withManifest(outcome, open));
      await publish(document, parts);
      return document;
    },

    async plan(given, asked) {
      const { module, open } = await ingest();
      return module.planIngest({ ...asked, request: parseRequest(given) }, open);
    },

    async run(name, { isLast, ...attempt }) {
      const document = await requests.begin(name);
      if (document === undefined) return undefined;
      const { module, open } = await ingest();
      const outcome = await module.ingestDataset({ ...document, ...attempt }, open);
      const { status, message } = outcome.result;
      // The job is tried again.
      if (mayPass(status) && !isLast) throw new TidemarkError('unavailable', `${status}: ${message}`);
      const result = await module.withManifest(outcome, open);
      await requests.end(name, result);
      return result;
    },
  };
}

/** Publishes a dataset at once, so that one command does it all: processes that sync the set find nothing to do. */
async function publish({ set, result }: RequestDocument, { sets, syncFolders }: DatasetsParts): Promise<void> {
  const folder = result?.dataset?.slice(set.length + 1);
  if (folder !== undefined) await syncFolders(await sets.bySlug(set), [folder]);
}

/** What ingests datasets, loaded once. */
function onceLoaded(parts: DatasetsParts, closers: Closers) {
  const load = async () => {
    const [{ openIngest }, module] = await Promise.all([import('./open-ingest.ts'), import('./ingest-dataset.ts')]);
    return { module, open: openIngest(parts, closers) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

function notRequested(url: string, nearest: string | undefined): TidemarkError {
  const meant = nearest === undefined ? 'add it with "tidemark datasets add URL"' : `did you mean ${nearest}?`;
  return new TidemarkError('not-found', `no dataset was requested of ${url}: ${meant}`, { url });
}
