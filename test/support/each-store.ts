import { join } from 'node:path';
import type { AsyncFunc, Func, Suite } from 'mocha';
import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import type { StoreLocation } from '../../src/stores/locations.ts';
import { useElasticsearch } from './elasticsearch.ts';
import { removeIndices, uniquePrefix } from './elasticsearch-indices.ts';
import { spareIndices, takeSpare } from './spare-indices.ts';

/** A kind of store that tests run on. */
export interface StoreKind {
  readonly kind: StoreLocation['kind'];
  /** A place where a store can be made. @param folder its files go there, if it has any; the caller removes it */
  place(folder: string, options?: PlaceOptions): StorePlace;
}

export interface PlaceOptions {
  /**
   * For a caller that opens the store in any case, and ends all that uses it before it removes it: its indices may be
   * there already, empty. False unless given.
   */
  readonly mayBeMade?: boolean;
}

export interface StorePlace {
  readonly location: StoreLocation;
  /** What names it to the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes the store, when everybody has closed it. */
  dispose(): Promise<void>;
}

/** For tests of what only a file can be: locked, cut short, on a full disk. */
export const SQLITE: StoreKind = {
  kind: 'sqlite',
  place(folder) {
    const file = join(folder, 'tidemark.db');
    return {
      location: { kind: 'sqlite', file },
      environment: { TIDEMARK_STORE: `sqlite:${file}` },
      dispose: async () => {},
    };
  },
};

/** A test, among those of every kind of store, of what does not depend on the store: one kind is enough. */
export type ItOnce = (title: string, test: Func | AsyncFunc) => void;

/**
 * Runs the same tests on every kind of store. Where there is no Elasticsearch, they are skipped there with the reason.
 */
export function describeOnEachStore(
  title: string,
  tests: (this: Suite, store: StoreKind, itOnce: ItOnce) => void,
): void {
  describe(`${title} (on SQLite)`, function () {
    tests.call(this, SQLITE, it);
  });
  describe(`${title} (on Elasticsearch)`, function () {
    tests.call(this, onElasticsearch(useElasticsearch()), () => {});
  });
}

/** Primary shards of the stores of tests that say nothing else: `TEST_STORE_SHARDS=3` runs all with three. */
const SHARDS = Number(process.env.TEST_STORE_SHARDS ?? 1);

/** @param server known when a test runs */
export function onElasticsearch(server: { readonly url: string }, shards = SHARDS): StoreKind {
  return {
    kind: 'elasticsearch',
    place(_, { mayBeMade = false } = {}) {
      const { url } = server;
      const prefix = (mayBeMade ? takeSpare(url, shards) : undefined) ?? uniquePrefix();
      return {
        location: { kind: 'elasticsearch', ...readNodes(url), prefix, shards },
        environment: { TIDEMARK_STORE: url, TIDEMARK_INDEX_PREFIX: prefix, TIDEMARK_STORE_SHARDS: `${shards}` },
        dispose: () => (mayBeMade ? spareIndices(url, prefix, shards) : removeIndices(url, prefix)),
      };
    },
  };
}
