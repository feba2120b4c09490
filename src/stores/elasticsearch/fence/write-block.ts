import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { causeOf } from '../../../lib/elasticsearch/faults.ts';
import type { IndexNames } from '../index-names.ts';

/** The alias of the last pause, which names it, and by which its block is removed. */
interface PauseAlias {
  /** The number of the commit of the pause; 0 before the first one. */
  readonly commit: number;
  /** The concrete indices of catalog and jobs. */
  readonly indices: readonly string[];
}

/**
 * Blocks the writes to catalog and jobs. Every request names the indices by the alias of one pause, so that a process
 * that comes late does nothing to a later pause: docs/internals/growing.md has the proof.
 */
export class WriteBlock {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** @throws TidemarkError `incompatible` when the indices lack the alias */
  async alias(): Promise<PauseAlias> {
    const { catalog, jobs } = this.#names;
    const name = this.#names.pause('*');
    const found = await this.#cluster.ask((client) =>
      client.indices.getAlias({ index: [catalog, jobs], name }, { ignore: [404] }),
    );
    const entries = Object.entries(found).filter(([, value]) => typeof value === 'object' && 'aliases' in value);
    const numbers = entries.flatMap(([, { aliases }]) => Object.keys(aliases).map((alias) => this.#numberOf(alias)));
    const [commit] = numbers;
    if (entries.length === 2 && numbers.length === 2 && commit === numbers[1]) {
      return { commit: commit!, indices: entries.map(([index]) => index) };
    }
    throw new TidemarkError(
      'incompatible',
      `the indices ${catalog} and ${jobs} lack the alias ${name}, by which a move is fenced: run "tidemark migrate"`,
    );
  }

  /** Names the next pause. Returns false when another process has done so. */
  async swap({ commit: before, indices }: PauseAlias, commit: number): Promise<boolean> {
    const removed = this.#names.pause(before);
    const actions = [
      ...indices.map((index) => ({ remove: { index, alias: removed, must_exist: true } })),
      { add: { indices: [...indices], alias: this.#names.pause(commit) } },
    ];
    const { statusCode, body } = await this.#cluster.ask((client) =>
      client.indices.updateAliases({ actions }, { ignore: [404], meta: true }),
    );
    if (statusCode === 200) return true;
    // The client repeats a request whose response was lost.
    return causeOf(body).type === 'aliases_not_found_exception' && (await this.alias()).commit === commit;
  }

  /** Resolves when no write is under way any more. @throws TidemarkError `conflict` when a later pause has begun */
  async set(commit: number): Promise<void> {
    const index = this.#names.pause(commit);
    const { statusCode, body } = await this.#cluster.ask((client) =>
      client.indices.addBlock({ index, block: 'write' }, { ignore: [404], meta: true }),
    );
    if (statusCode !== 200) throw new TidemarkError('conflict', 'another process is moving this store: wait for it');
    if (body.acknowledged && body.shards_acknowledged) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${this.#cluster.name} could not block writes to ${index}: call this again (${JSON.stringify(body.indices)})`,
    );
  }

  /** Removes the block of a pause that is over; does nothing when a later one has begun. */
  async remove(commit: number): Promise<void> {
    await this.#cluster.ask((client) =>
      client.indices.putSettings(
        { index: this.#names.pause(commit), settings: { 'index.blocks.write': null } },
        { ignore: [404] },
      ),
    );
  }

  /** Whether one of the indices has the block; another one, such as that of a full disk, does not count. */
  async isSet(): Promise<boolean> {
    const { catalog, jobs } = this.#names;
    const found = await this.#cluster.ask((client) =>
      client.indices.getSettings({ index: [catalog, jobs], name: 'index.blocks.write' }),
    );
    return Object.values(found).some(({ settings }) => String(settings?.index?.blocks?.write) === 'true');
  }

  #numberOf(alias: string): number {
    return Number(alias.slice(this.#names.pause('').length));
  }
}

/** Sends a write to catalog or jobs: see `ElasticsearchFence`. */
export type AroundWrite = <Result>(write: () => Promise<Result>) => Promise<Result>;

/** Whether Elasticsearch has refused a write because of a block of the index. */
export function isBlocked(error: unknown): boolean {
  return isTidemarkError(error, 'unavailable') && error.details.type === 'cluster_block_exception';
}
