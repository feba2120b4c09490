import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { removeIndices, uniquePrefix } from './elasticsearch-indices.ts';

const KEYWORD = { type: 'keyword' };
const DATE = { type: 'date', format: "yyyy-MM-dd'T'HH:mm:ssZ||strict_date_optional_time" };
const LOCATION = { type: 'nested', properties: { value: KEYWORD, type: KEYWORD } };

/** The mappings of the OpenMinTeD ResourceSync protocol, both types in one index, in the words of today's Elasticsearch. */
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
};

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
    await this.#cluster.ask({
      method: 'PUT',
      path: `/${this.name}${suffix}`,
      body: { settings, mappings: { properties: PROPERTIES } },
    });
  }

  /** Writes documents, by their ids. */
  async write(documents: Readonly<Record<string, object>>, suffix = ''): Promise<void> {
    const all = Object.entries(documents);
    for (let start = 0; start < all.length; start += PER_REQUEST) {
      const lines = all
        .slice(start, start + PER_REQUEST)
        .map(([id, body]) => `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(body)}\n`);
      const { body } = await this.#cluster.ask<{ errors: boolean }>({
        method: 'POST',
        path: `/${this.name}${suffix}/_bulk`,
        query: { refresh: true },
        lines: lines.join(''),
      });
      if (body.errors) throw new Error(`Elasticsearch refused documents: ${JSON.stringify(body).slice(0, 2000)}`);
    }
  }

  async delete(id: string): Promise<void> {
    await this.#cluster.ask({ method: 'DELETE', path: `/${this.name}/_doc/${id}`, query: { refresh: true } });
  }

  async remove(): Promise<void> {
    await this.#cluster.close();
    await removeIndices(this.#url, this.name);
  }
}
