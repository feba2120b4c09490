import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { removeIndices, uniquePrefix } from './elasticsearch-indices.ts';

const KEYWORD = { type: 'keyword' } as const;
const DATE = { type: 'date', format: "yyyy-MM-dd'T'HH:mm:ssZ||strict_date_optional_time" } as const;
const LOCATION = { type: 'nested', properties: { value: KEYWORD, type: KEYWORD } } as const;

/**
 * The mappings of the OpenMinTeD ResourceSync protocol, both types in one index, in the words of today's Elasticsearch.
 */
const PROPERTIES = {
  resource_set: KEYWORD,
  location: LOCATION,
  length: { type: 'integer' },
  md5: KEYWORD,
  mime: KEYWORD,
  lastmod: DATE,
  ln: { type: 'nested', properties: { href: LOCATION, rel: KEYWORD, mime: KEYWORD } },
  timestamp: DATE,
  change: KEYWORD,
  datetime: DATE,
} as const;

const PER_REQUEST = 5_000;

/** An index as a harvesting component writes it. Its maker removes it. */
export class ProtocolIndex {
  readonly name = uniquePrefix();
  readonly #url: string;
  readonly #cluster: Cluster;

  constructor(url: string) {
    this.#url = url;
    this.#cluster = new Cluster(readNodes(url));
  }

  /** What names it to the program. @param suffix of one of several */
  environment(suffix = ''): { readonly TIDEMARK_IMPORT: string } {
    return { TIDEMARK_IMPORT: `${this.#url.replace(/\/$/, '')}/${this.name}${suffix}` };
  }

  async make(suffix = '', settings: object = {}): Promise<void> {
    const mappings = { properties: PROPERTIES };
    await this.#cluster.ask((client) => client.indices.create({ index: `${this.name}${suffix}`, settings, mappings }));
  }

  /** Writes documents, by their ids. */
  async write(documents: Readonly<Record<string, object>>, suffix = ''): Promise<void> {
    const all = Object.entries(documents);
    for (let start = 0; start < all.length; start += PER_REQUEST) {
      const lines = all
        .slice(start, start + PER_REQUEST)
        .map(([id, body]) => `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(body)}\n`);
      const index = `${this.name}${suffix}`;
      const response = await this.#cluster.bulk(lines.join(''), { index, refresh: true });
      if (response.errors)
        throw new Error(`Elasticsearch refused documents: ${JSON.stringify(response).slice(0, 2000)}`);
    }
  }

  async delete(id: string): Promise<void> {
    await this.#cluster.ask((client) => client.delete({ index: this.name, id, refresh: true }));
  }

  async remove(): Promise<void> {
    await this.#cluster.close();
    await removeIndices(this.#url, this.name);
  }
}
