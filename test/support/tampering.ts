import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { ElasticsearchLocation, StoreLocation } from '../../src/config/configuration.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { sortKeyOf } from '../../src/stores/elasticsearch/documents.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';

/** What somebody does to set 1 of a store behind the program's back. */
export interface Tampering {
  readonly sql: string;
  readonly documents: DocumentTampering;
}

export interface DocumentTampering {
  readonly index: 'resources' | 'changes' | 'ledgers';
  readonly which: (source: Source) => boolean;
  /** What a document becomes; undefined removes it. */
  readonly change: (source: Source) => Source | undefined;
  /** Adds what it becomes, and leaves it as it was. */
  readonly isAdded?: boolean;
}

type Source = Readonly<Record<string, unknown>>;

interface Hit {
  readonly _index: string;
  readonly _id: string;
  readonly _source: Source;
}

/** Throws when there is nothing to tamper with. */
export async function tamper(location: StoreLocation, { sql, documents }: Tampering): Promise<void> {
  if (location.kind === 'elasticsearch') return tamperWithDocuments(location, documents);
  using database = new DatabaseSync(location.file);
  assert.notEqual(database.prepare(sql).run().changes, 0);
}

export function ofKey(key: string): DocumentTampering['which'] {
  return ({ order }) => order === sortKeyOf(1, key);
}

async function tamperWithDocuments(location: ElasticsearchLocation, tampering: DocumentTampering): Promise<void> {
  const { index, which, change, isAdded = false } = tampering;
  const names = new IndexNames(location.prefix);
  const cluster = new Cluster(location);
  try {
    // What was written last may not be searchable yet: whoever reads makes it so.
    await cluster.ask({ method: 'POST', path: `/${names[index]}/_refresh` });
    const path = `/${names[index]}/_search`;
    const found = await cluster.ask<{ hits: { hits: readonly Hit[] } }>({ method: 'POST', path, body: { size: 100 } });
    const hits = found.body.hits.hits.filter(({ _source }) => which(_source));
    assert.notEqual(hits.length, 0);
    for (const { _index, _id, _source } of hits) {
      const document = `/${_index}/_doc/${isAdded ? 'added' : encodeURIComponent(_id)}`;
      const changed = change(_source);
      const request = changed === undefined ? { method: 'DELETE' as const } : { method: 'PUT' as const, body: changed };
      await cluster.ask({ ...request, path: document, query: { refresh: true } });
    }
  } finally {
    await cluster.close();
  }
}
