import { createRequire, Module } from 'node:module';

const require = createRequire(import.meta.url);

withoutArrow();

/**
 * The client of Elasticsearch, without Apache Arrow. Only its helpers for ES|QL use that, and they are not called here.
 * For it, every thread with a store on Elasticsearch would take 7 MB, and a third more time to load the client.
 */
export const { Client, errors, Transport, UndiciConnection } =
  require('@elastic/elasticsearch') as typeof import('@elastic/elasticsearch');

/** An empty module is loaded in its place. A version of the client that does not depend on it is loaded as it is. */
function withoutArrow(): void {
  try {
    const file = createRequire(require.resolve('@elastic/elasticsearch')).resolve('apache-arrow/Arrow.node');
    require.cache[file] ??= Object.assign(new Module(file), { loaded: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
  }
}
