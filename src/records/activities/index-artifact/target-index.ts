import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { FoundArtifact } from '../../../artifacts/find-artifacts.ts';
import { formatTimestamp } from '../../../artifacts/timestamp.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { causeOf, refusalError } from '../../../lib/elasticsearch/faults.ts';

type IndexedArtifact = Pick<FoundArtifact, 'key' | 'provider' | 'start' | 'length'>;

/** Most bytes of an `_id` in Elasticsearch. */
const LONGEST_ID = 512;

/** The `_id` of a record: its id, or the SHA-256 of an id that is too long. */
export function documentId(id: string): string {
  return isLongId(id) ? `sha-256:${createHash('sha256').update(id).digest('hex')}` : id;
}

export function isLongId(id: string): boolean {
  return Buffer.byteLength(id) > LONGEST_ID;
}

/**
 * The index of one artifact: `ALIAS-PROVIDER-TIMESTAMP`. The alias names one index of each provider. An index contains
 * exactly the documents of its artifact, so writing it again, or by two processes, makes the same index.
 */
export class TargetIndex {
  readonly name: string;
  readonly alias: string;
  readonly #cluster: Cluster;
  readonly #artifact: IndexedArtifact;

  constructor(cluster: Cluster, alias: string, artifact: IndexedArtifact) {
    this.#cluster = cluster;
    this.#artifact = artifact;
    this.alias = alias;
    this.name = `${alias}-${artifact.provider}-${formatTimestamp(artifact.start)}`;
  }

  /**
   * Makes the index, unless an earlier run has started it. Returns whether the alias already names it, so that nothing
   * remains to be done.
   * @throws TidemarkError `conflict` when the alias is an index, or names a newer index of the provider or an index of
   *   others, or the index was not made from this artifact
   */
  async prepare(): Promise<boolean> {
    if ((await this.#former()).includes(this.name)) return true;
    const { key, length } = this.#artifact;
    const mappings = { _meta: { tidemark: { artifact: key, length } } };
    const { statusCode, body } = await this.#cluster.ask((client) =>
      client.indices.create({ index: this.name, mappings }, { ignore: [400], meta: true }),
    );
    if (statusCode !== 400) return false;
    if (causeOf(body).type !== 'resource_already_exists_exception') throw refusalError(this.#cluster, statusCode, body);
    await this.#requireOwn();
    return false;
  }

  /** Number of documents that a search finds. */
  async count(): Promise<number> {
    const index = this.name;
    await this.#cluster.ask((client) => client.indices.refresh({ index }));
    const { count } = await this.#cluster.ask((client) => client.count({ index }));
    return count;
  }

  /**
   * Switches the alias from the former indices of the provider to this one, in one step. Returns the former ones, which
   * are kept.
   * @throws TidemarkError as `prepare`
   */
  async switchAlias(): Promise<readonly string[]> {
    const former = (await this.#former()).filter((index) => index !== this.name);
    const actions = [
      ...former.map((index) => ({ remove: { index, alias: this.alias } })),
      { add: { index: this.name, alias: this.alias } },
    ];
    await this.#cluster.ask((client) => client.indices.updateAliases({ actions }));
    return former;
  }

  /** The indices of the provider that the alias names. */
  async #former(): Promise<readonly string[]> {
    const found = await this.#indices(this.alias);
    if (this.alias in found) {
      throw this.#conflict(`${this.alias} is an index, and no alias, and is not overwritten: name another one`);
    }
    const indices = Object.keys(found);
    const foreign = indices.find((index) => madeOf(found[index]).artifact === undefined);
    if (foreign !== undefined) {
      throw this.#conflict(
        `the alias ${this.alias} names ${foreign}, which "tidemark artifacts index" has not made (a store has such aliases, too): name another alias`,
      );
    }
    const beginning = `${this.alias}-${this.#artifact.provider}-`;
    const former = indices.filter(
      (index) => index.startsWith(beginning) && /^\d{8}_\d{6}$/.test(index.slice(beginning.length)),
    );
    const newer = former.find((index) => index > this.name);
    if (newer === undefined) return former;
    throw this.#conflict(`${this.alias} has ${newer} already, which is of a newer artifact: name another alias`);
  }

  async #requireOwn(): Promise<void> {
    const { [this.name]: found } = await this.#indices(this.name);
    const { key, length } = this.#artifact;
    const made = madeOf(found);
    if (made.artifact === key && made.length === length) return;
    throw this.#conflict(`the index ${this.name} exists, and was not made of ${key}: delete it, or name another alias`);
  }

  async #indices(name: string): Promise<estypes.IndicesGetResponse> {
    const { statusCode, body } = await this.#cluster.ask((client) =>
      client.indices.get({ index: name }, { ignore: [404], meta: true }),
    );
    return statusCode === 404 ? {} : body;
  }

  #conflict(message: string): TidemarkError {
    return new TidemarkError('conflict', `on Elasticsearch at ${this.#cluster.name}, ${message}`, {
      alias: this.alias,
    });
  }
}

/** The metadata that `prepare` wrote into an index. */
function madeOf(index: estypes.IndicesIndexState | undefined) {
  return Object(index?.mappings?._meta?.tidemark) as { readonly artifact?: unknown; readonly length?: unknown };
}
