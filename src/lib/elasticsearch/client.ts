import { createRequire, Module } from 'node:module';

const require = createRequire(import.meta.url);

withoutArrow();

/**
 * The Elasticsearch client, without Apache Arrow. Only its ES|QL helpers use Arrow, and they are not called here. Arrow
 * would cost 7 MB in every thread with a store on Elasticsearch, and a third more time to load the client.
 */
export const { Client, ClusterConnectionPool, errors, Transport, UndiciConnection } =
  require('@elastic/elasticsearch') as typeof import('@elastic/elasticsearch');

/** Loads an empty module instead. Does nothing for a version of the client that does not depend on Arrow. */
function withoutArrow(): void {
  try {
    const file = createRequire(require.resolve('@elastic/elasticsearch')).resolve('apache-arrow/Arrow.node');
    require.cache[file] ??= Object.assign(new Module(file), { loaded: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
  }
}
