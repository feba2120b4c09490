import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { type Elasticsearch, startElasticsearch } from '../../scripts/services/elasticsearch.ts';
import type { ElasticsearchOptions } from '../../scripts/services/elasticsearch-nodes.ts';
import { type Contained, hasDocker, startElasticsearchContainer } from './containers.ts';
import { askElasticsearch } from './elasticsearch-indices.ts';
import { atEndOfRun } from './leak-guard.ts';

/** Milliseconds; a server starts in ten seconds, a cluster in twenty, and a new checkout fetches the program first. */
const TIMEOUT_MS = 900_000;

export type OwnOptions = Omit<ElasticsearchOptions, 'folder'>;

export interface OwnElasticsearch {
  readonly elasticsearch: Elasticsearch;
  /** Ends it, and removes all that it wrote. */
  dispose(): Promise<void>;
}

/**
 * A server or cluster for tests that stop, kill or pause it, or that need security. Throws an error where none can be
 * started.
 */
export async function startOwnElasticsearch(options: OwnOptions = {}): Promise<OwnElasticsearch> {
  const folder = await makeFolder();
  const removeAtOnce = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeAtOnce);
  const remove = async () => {
    process.off('exit', removeAtOnce);
    await rm(folder, { recursive: true });
  };
  try {
    const elasticsearch = await startElasticsearch({ ...options, folder });
    return { elasticsearch, dispose: () => elasticsearch.kill().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A folder that another user may enter: Elasticsearch does not run as root. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'elasticsearch-'));
  await chmod(folder, 0o711);
  return folder;
}

let shared: Promise<{ readonly url: string }> | undefined;

/**
 * The server that tests share: the one of `ELASTICSEARCH_URL`, or one that is started when the first test needs it, and
 * ended after the last. Where none can be started, it says why the tests are skipped; under CI it throws.
 */
export async function sharedElasticsearch(): Promise<{ readonly url: string } | { readonly skipped: string }> {
  shared ??= findShared();
  try {
    return await shared;
  } catch (error) {
    return { skipped: skippedFor(error) };
  }
}

/** Call it in `describe`: its tests share a server with others, or are skipped. `url` is there while a test runs. */
export function useElasticsearch(): { readonly url: string } {
  let url = '';
  before(async function () {
    this.timeout(TIMEOUT_MS);
    const found = await sharedElasticsearch();
    if ('skipped' in found) skipSuite(this, found.skipped);
    else url = found.url;
  });
  return {
    get url() {
      return url;
    },
  };
}

/** Call it in `describe`: its tests have a server or cluster to themselves, or are skipped. */
export function useOwnElasticsearch(options: OwnOptions = {}): { readonly elasticsearch: Elasticsearch } {
  let own: OwnElasticsearch | undefined;
  before(async function () {
    this.timeout(TIMEOUT_MS);
    try {
      own = await startOwnElasticsearch(options);
    } catch (error) {
      skipSuite(this, skippedFor(error));
    }
  });
  after(() => own?.dispose());
  return {
    get elasticsearch() {
      return own!.elasticsearch;
    },
  };
}

async function findShared(): Promise<{ readonly url: string }> {
  const { ELASTICSEARCH_URL: url, ELASTICSEARCH_MISSING: missing } = process.env;
  if (missing !== undefined) throw new Error(missing);
  if (url !== undefined) {
    await askElasticsearch(url, 'GET', '_cluster/health');
    return { url };
  }
  const { service, dispose } = await startSharedElasticsearch();
  atEndOfRun(dispose);
  return service;
}

/** Starts a server for several tests, which do not stop it: in a container where a Docker engine answers. */
export async function startSharedElasticsearch(): Promise<Contained<{ readonly url: string }>> {
  if (await hasDocker()) return startElasticsearchContainer();
  const { elasticsearch, dispose } = await startOwnElasticsearch();
  return { service: { url: elasticsearch.url }, dispose };
}

/** The reason to skip tests, in one line; under CI nothing may be skipped, and it throws. */
function skippedFor(error: unknown): string {
  if (process.env.CI === 'true') throw error;
  const [reason, ...more] = (error as Error).message.split('\n');
  if (more.length > 0) console.error(error);
  return `needs Elasticsearch: ${reason}`;
}

export function skipSuite(context: Context, reason: string): void {
  context.test!.parent!.eachTest((test) => {
    test.title += ` (${reason})`;
  });
  context.skip();
}
