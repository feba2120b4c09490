import { randomUUID } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import { BatchSize } from '../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { Catalog, CatalogDocument, CatalogKind, CatalogPage } from '../catalog.ts';
import { hideRemovedSets } from './alias-of-all.ts';
import type { AroundWrite } from './fence/write-block.ts';
import type { IndexNames } from './index-names.ts';

const MOST_HITS = 10_000;

interface Source {
  readonly id: string;
  /** `put` identifies the put that wrote it; older documents have none. */
  readonly body: { readonly value: unknown; readonly put?: string };
}

interface Sorting {
  readonly by: 'id' | '_seq_no';
  readonly order: 'asc' | 'desc';
  readonly limit?: number | undefined;
}

type Stored = Pick<estypes.GetGetResult<Source>, '_seq_no' | '_primary_term' | '_source'>;

/**
 * A version is the `_seq_no` of the document plus one: the index has one shard, so it rises with every put. Every put
 * is refreshed before it is acknowledged, so that searches (`list`, `head`) find it.
 */
export class ElasticsearchCatalog implements Catalog {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #around: AroundWrite;
  /** Concurrent calls share one request. */
  readonly #heads = new Map<CatalogKind, CoalescedRead<number>>();
  /** Heads that are requested at the same time, which one request reads. */
  #together: { readonly kinds: CatalogKind[]; readonly heads: Promise<readonly number[]> } | undefined;
  /** Whether the alias of all indices may show a set that was removed. */
  #isShown = false;

  constructor(cluster: Cluster, names: IndexNames, around: AroundWrite = (write) => write()) {
    this.#cluster = cluster;
    this.#names = names;
    this.#around = around;
  }

  async get<Body>(kind: CatalogKind, id: string): Promise<CatalogDocument<Body> | undefined> {
    const stored = await this.#get(kind, id);
    return stored && toDocument<Body>(stored);
  }

  async put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number> {
    const version = await this.#put(kind, id, body, replaces);
    if (kind === 'set' && (body as Partial<StoredSet>).removed !== undefined) this.#isShown = true;
    if (this.#isShown) await this.#hideRemovedSets();
    return version;
  }

  /** The set is removed, even if this fails: then a later put tries again. */
  async #hideRemovedSets(): Promise<void> {
    this.#isShown = false;
    try {
      await hideRemovedSets({ cluster: this.#cluster, names: this.#names, catalog: this });
    } catch (error) {
      if (!isTidemarkError(error, 'unavailable')) throw error;
      this.#isShown = true;
    }
  }

  async #put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number> {
    const thisPut = randomUUID();
    const document: Source & { kind: CatalogKind } = { kind, id, body: { value: body, put: thisPut } };
    const write = { ...this.#placeOf(kind, id), document, refresh: true, require_alias: true };
    const known = replaces === undefined ? undefined : await this.#known(kind, id, replaces);
    const send = () =>
      this.#cluster.ask((client) => {
        // It fails when there is a document.
        if (known === undefined) return client.create(write, { ignore: [409], meta: true });
        const replaced = { if_seq_no: known._seq_no!, if_primary_term: known._primary_term! };
        return client.index({ ...write, ...replaced }, { ignore: [409], meta: true });
      });
    const written = await this.#around(send);
    if (written.statusCode === 409) {
      const stored = await this.#versionOfPut(kind, id, thisPut);
      if (stored === undefined) throw conflict(kind, id);
      // What was read may be on one copy only, of a node that is cut off. An acknowledged put is on all of them.
      return this.#put(kind, id, body, stored);
    }
    const version = versionOf(written.body);
    // A reader that has listed up to a later put, which was visible earlier, would never list this one: so it is put
    // again.
    if ((await this.head(kind)) <= version) return version;
    return this.#put(kind, id, body, version).catch((error) => {
      // It was replaced meanwhile by a later put, which will be listed.
      if (isTidemarkError(error, 'conflict')) return version;
      throw error;
    });
  }

  /** The stored document of a version. @throws TidemarkError `conflict` when there is another one, or none */
  async #known(kind: CatalogKind, id: string, version: number): Promise<Stored> {
    const stored = await this.#get(kind, id);
    if (stored === undefined || versionOf(stored) !== version) throw conflict(kind, id);
    return stored;
  }

  /** The client repeats a request whose response was lost: the document is then stored, and the repetition is a 409. */
  async #versionOfPut(kind: CatalogKind, id: string, put: string): Promise<number | undefined> {
    const stored = await this.#get(kind, id);
    return stored?._source?.body.put === put ? versionOf(stored) : undefined;
  }

  async list<Body>(kind: CatalogKind, after = 0, limit?: number): Promise<readonly CatalogDocument<Body>[]> {
    const filter = [{ term: { kind } }, { range: { _seq_no: { gte: after } } }];
    return this.#all(filter, { by: limit === undefined ? 'id' : '_seq_no', order: 'asc', limit });
  }

  async latest<Body>(
    kind: CatalogKind,
    prefix: string,
    { before, limit }: CatalogPage = {},
  ): Promise<readonly CatalogDocument<Body>[]> {
    const range = before === undefined ? [] : [{ range: { id: { lt: before } } }];
    return this.#all([{ term: { kind } }, { prefix: { id: prefix } }, ...range], {
      by: 'id',
      order: 'desc',
      limit,
    });
  }

  /** All documents that match the filters, or the first ones. */
  async #all<Body>(
    filter: readonly estypes.QueryDslQueryContainer[],
    { by, order, limit = Number.POSITIVE_INFINITY }: Sorting,
  ): Promise<readonly CatalogDocument<Body>[]> {
    const documents: CatalogDocument<Body>[] = [];
    // A page directory may have megabytes.
    const batches = new BatchSize(Math.min(MOST_HITS, limit));
    for (;;) {
      const last = documents.at(-1);
      const search = (size: number) =>
        this.#search({
          query: { bool: { filter: [...filter] } },
          sort: [{ [by]: order }],
          size,
          ...(last !== undefined && { search_after: [by === 'id' ? last.id : last.version - 1] }),
        });
      const { found, isFull } = await batches.ask(search);
      documents.push(...found.map(toDocument<Body>));
      if (!isFull || documents.length >= limit) return documents.slice(0, limit);
    }
  }

  head(kind: CatalogKind): Promise<number> {
    const known = this.#heads.get(kind);
    if (known !== undefined) return known.read();
    const head = new CoalescedRead(() => this.#newest(kind));
    this.#heads.set(kind, head);
    return head.read();
  }

  async #newest(kind: CatalogKind): Promise<number> {
    this.#together ??= this.#readTogether();
    const { kinds, heads } = this.#together;
    const at = kinds.push(kind) - 1;
    return (await heads)[at]!;
  }

  #readTogether() {
    const kinds: CatalogKind[] = [];
    const heads = Promise.resolve().then(() => {
      this.#together = undefined;
      return this.#newestOf(kinds);
    });
    return { kinds, heads };
  }

  async #newestOf(kinds: readonly CatalogKind[]): Promise<readonly number[]> {
    const searches = kinds.map((kind) => ({
      query: { term: { kind } },
      sort: [{ _seq_no: 'desc' as const }],
      size: 1,
      _source: false,
      seq_no_primary_term: true,
    }));
    const found = await this.#cluster.hitsOfEach<Source>(this.#names.catalog, searches);
    return found.map(([newest]) => (newest === undefined ? 0 : versionOf(newest)));
  }

  async #get(kind: CatalogKind, id: string): Promise<Stored | undefined> {
    const stored = await this.#cluster.ask((client) => client.get<Source>(this.#placeOf(kind, id), { ignore: [404] }));
    return stored.found ? stored : undefined;
  }

  #placeOf(kind: CatalogKind, id: string): { readonly index: string; readonly id: string } {
    return { index: this.#names.catalog, id: `${kind}:${id}` };
  }

  #search(search: Parameters<Cluster['hits']>[0]): Promise<readonly Stored[]> {
    return this.#cluster.hits<Source>({ index: this.#names.catalog, seq_no_primary_term: true, ...search });
  }
}

function versionOf({ _seq_no }: Pick<Stored, '_seq_no'>): number {
  return _seq_no! + 1;
}

function toDocument<Body>(stored: Stored): CatalogDocument<Body> {
  const { id, body } = stored._source!;
  return { id, version: versionOf(stored), body: body.value as Body };
}

function conflict(kind: CatalogKind, id: string): TidemarkError {
  return new TidemarkError('conflict', `the ${kind} ${id} was changed meanwhile: read it again`, {
    kind,
    id,
  });
}
