import assert from 'node:assert/strict';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, upsert } from './builders.ts';
import { askElasticsearch } from './elasticsearch-indices.ts';
import type { ElasticsearchSource } from './elasticsearch-source.ts';
import { untilApplied } from './fault-checks.ts';
import type { Asked, FaultProxy } from './fault-proxy.ts';
import { SLUG } from './fault-source.ts';

/** Segments of some twenty commits. */
export const SHORT = { commits: 20, measureAfter: 5 };
/** More than the last commits that are kept, and than those of two segments. */
const ROUNDS = 112;

const FIRST_SEGMENT = 1;

/** A process on a log with short segments. */
export interface SegmentsProcess extends Pick<Stores, 'index' | 'catalog' | 'gauge'> {
  /** The id of the set. */
  readonly set: number;
  /** Commits one change of a key. */
  post(key: string, length?: number): Promise<string>;
  /** Commits a change that has a position of a source. */
  postAt(key: string, position: number): Promise<string>;
  fill(rounds?: number): Promise<void>;
  /** Drops all commits that may be dropped, however young. Returns how many segments were removed. */
  removeSegments(): Promise<number>;
}

/** @param requestTimeoutMs where a request is held: longer than that takes */
export async function openSegments(
  source: ElasticsearchSource,
  { proxy, requestTimeoutMs = 180_000 }: { readonly proxy?: FaultProxy; readonly requestTimeoutMs?: number } = {},
): Promise<SegmentsProcess> {
  const nodes = proxy === undefined ? [] : [proxy.url];
  const options = { segmentLimits: SHORT, requestTimeoutMs };
  const { index, catalog, gauge, close } = await openElasticsearch(source.location(...nodes), options);
  source.onClose(close);
  const { id } = await new SetRegistry(catalog, index).bySlug(SLUG);
  const commit = async (event: Parameters<typeof index.commit>[0][number]) => {
    const [result] = await index.commit([event]);
    return result!.status === 'unchanged' ? result!.reason : result!.status;
  };
  return {
    index,
    catalog,
    gauge,
    set: id,
    post: (key, length = 1) => commit(upsert(id, key, { length })),
    postAt: (key, position) => commit({ ...upsert(id, key, { length: position }), source: 'test', position }),
    async fill(rounds = ROUNDS) {
      for (let round = 0; round < rounds; round++) await index.commit([upsert(id, 'often', { length: round })]);
    },
    async removeSegments() {
      const boundary = await index.watermark();
      return (await index.dropCommits(boundary, { olderThan: 0 })).removedSegments;
    },
  };
}

/** What is in a log with segments: by the documents of Elasticsearch, and not by our code. */
export class StoredLog {
  readonly #source: ElasticsearchSource;

  constructor(source: ElasticsearchSource) {
    this.#source = source;
  }

  /** The numbers of the segments that exist. */
  async segments(): Promise<readonly number[]> {
    const aliases = await this.#ask('GET', `${this.#source.prefix}-log/_alias`);
    return Object.keys(aliases)
      .map((name) => Number(name.slice(-6)))
      .toSorted((one, other) => one - other);
  }

  /** The numbers of the commits in a segment, in order. */
  async commitsIn(segment: number): Promise<readonly number[]> {
    return (await this.#documents(segment)).map(({ number }) => number);
  }

  /**
   * Requires that all segments that exist have the numbers from one to the newest without a hole, each once, that each
   * segment but the last one in use ends with its only seal, and that the chain of uuids is whole.
   */
  async requireWhole(): Promise<void> {
    const segments = await this.segments();
    let expected: number | undefined;
    let after: string | undefined;
    let hasEnded = true;
    for (const segment of segments) {
      const documents = await this.#documents(segment);
      if (documents.length > 0) assert.ok(hasEnded, `segment ${segment} was begun before the one before had ended`);
      if (segment === FIRST_SEGMENT) assert.equal(documents[0]?.number, 1);
      for (const [at, document] of documents.entries()) {
        assert.equal(document.number, expected ?? document.number, `segment ${segment}`);
        assert.equal(document.after, after ?? document.after, `what commit ${document.number} follows`);
        assert.equal(document.isSeal && at < documents.length - 1, false, `seal ${document.number}`);
        expected = document.number + 1;
        after = document.uuid;
      }
      hasEnded = documents.at(-1)?.isSeal ?? false;
    }
  }

  async #documents(segment: number) {
    const index = `${this.#source.prefix}-log-${String(segment).padStart(6, '0')}-open`;
    await this.#ask('POST', `${index}/_refresh`);
    const { hits } = (await this.#ask('GET', `${index}/_search?size=10000`)) as unknown as Found;
    return hits.hits
      .map(({ _id, _source: { uuid, after, changes } }) => {
        return { number: Number(_id), uuid, after, isSeal: changes.seal === true };
      })
      .toSorted((one, other) => one.number - other.number);
  }

  #ask(method: string, path: string) {
    return askElasticsearch(this.#source.url, method, path);
  }
}

/** The keys of all changes, as a process reads them that has just begun; without those of `fill`. */
export async function postedKeys(source: ElasticsearchSource): Promise<readonly string[]> {
  const { index } = await openSegments(source);
  await untilApplied(index);
  const changes = await collect(index.log({ after: 0 }));
  return changes.map(({ key }) => key.slice(1)).filter((key) => key !== 'often');
}

interface Found {
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _source: { readonly uuid: string; readonly after: string; readonly changes: { readonly seal?: true } };
    }[];
  };
}

export const createsCommit = ({ path }: Asked) => /-log-\d+-open\/_create\//.test(path);
export const createsCommitIn =
  (segment: number) =>
  ({ path }: Asked) =>
    path.includes(`-log-00000${segment}-open/_create/`);
export const seals = (asked: Asked) => createsCommit(asked) && asked.body.includes('"seal":true');
export const makesSegment = ({ method, path }: Asked) => method === 'PUT' && /-log-\d+(\?|$)/.test(path);
export const removesSegment = ({ path, body }: Asked) => path.startsWith('/_aliases') && body.includes('remove_index');

/** Of requests that match, only the first. */
export function first(matches: (asked: Asked) => boolean): (asked: Asked) => boolean {
  let met = false;
  return (asked) => {
    if (met || !matches(asked)) return false;
    met = true;
    return true;
  };
}

/** Holds the first request that matches until it is released, as if its process slept. */
export function holdFirst(proxy: FaultProxy, matches: (asked: Asked) => boolean) {
  const release = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  proxy.on(first(matches), async (execute) => {
    reached.resolve();
    await release.promise;
    return execute();
  });
  return { reached: reached.promise, release: () => release.resolve() };
}
