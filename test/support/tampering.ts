import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { sortKeyOf } from '../../src/stores/elasticsearch/resource-documents.ts';
import type { ElasticsearchLocation, StoreLocation } from '../../src/stores/locations.ts';

/** What another program does to set 1 of a store behind the program's back. */
export interface Tampering {
  readonly sql: string;
  /** Of tests that run on Elasticsearch too. */
  readonly documents?: DocumentTampering;
}

export interface DocumentTampering {
  readonly index: 'resources' | 'changes' | 'ledgers';
  readonly which: (source: Source) => boolean;
  /** What a document becomes; undefined removes it. */
  readonly change: (source: Source) => Source | undefined;
}

type Source = Readonly<Record<string, unknown>>;

/** Throws when there is nothing to tamper with. */
export async function tamper(location: StoreLocation, { sql, documents }: Tampering): Promise<void> {
  if (location.kind === 'elasticsearch') return tamperWithDocuments(location, documents!);
  using database = new DatabaseSync(location.file);
  assert.notEqual(database.prepare(sql).run().changes, 0);
}

export function ofKey(key: string): DocumentTampering['which'] {
  return ({ order }) => order === sortKeyOf(1, key);
}

async function tamperWithDocuments(location: ElasticsearchLocation, tampering: DocumentTampering): Promise<void> {
  const { index, which, change } = tampering;
  const names = new IndexNames(location.prefix);
  const cluster = new Cluster(location);
  try {
    // What was written last may not be searchable yet: a read makes it so.
    await cluster.ask((client) => client.indices.refresh({ index: names[index] }));
    const found = await cluster.hits<Source>({ index: names[index], size: 100 });
    const hits = found.filter(({ _source }) => which(_source!));
    assert.notEqual(hits.length, 0);
    for (const { _index, _id, _source } of hits) {
      const place = { index: _index, id: _id!, refresh: true };
      const document = change(_source!);
      if (document === undefined) await cluster.ask((client) => client.delete(place));
      else await cluster.ask((client) => client.index({ ...place, document }));
    }
  } finally {
    await cluster.close();
  }
}
