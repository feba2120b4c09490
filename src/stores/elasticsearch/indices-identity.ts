import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';

/** Milliseconds: to delete indices and make or restore others takes about as long. */
const FRESH = 250;

/**
 * Notices when the log or the catalog is another index than when the store was opened, because it was deleted and made
 * anew, or restored from a snapshot: the number of the next commit would then fence nothing, and a commit be
 * acknowledged that no reader ever finds. Also when another version has migrated them, and may write what this one
 * cannot read.
 */
export class IndicesIdentity {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  #opened: string | undefined;
  #isReplaced = false;
  /**
   * When the last check that found nothing began: by the clock, and by the time of this process, which stops while the
   * machine sleeps.
   */
  #checked = { clock: Number.NEGATIVE_INFINITY, process: Number.NEGATIVE_INFINITY };

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /**
   * @param freshMs milliseconds for which the last check counts
   * @throws TidemarkError `unavailable` when they are other indices than at the first call
   */
  async require(freshMs = FRESH): Promise<void> {
    const now = { clock: Date.now(), process: performance.now() };
    const age = Math.max(Math.abs(now.clock - this.#checked.clock), now.process - this.#checked.process);
    if (!this.#isReplaced && age < freshMs) return;
    const found = await this.#read();
    this.#opened ??= found;
    this.#isReplaced ||= found !== this.#opened;
    if (this.#isReplaced) throw isReplaced(this.#names);
    this.#checked = now;
  }

  async #read(): Promise<string> {
    const { log, catalog } = this.#names;
    const indices = await this.#cluster.ask((client) =>
      client.indices.get({
        index: [log, catalog],
        features: ['settings', 'mappings'],
        filter_path: '*.settings.index.uuid,*.mappings._meta.schema_version',
      }),
    );
    const identities = Object.values(indices).map(
      ({ settings, mappings }) => `${settings?.index?.uuid} ${mappings?._meta?.schema_version}`,
    );
    return identities.sort().join(' ');
  }
}

function isReplaced({ prefix }: IndexNames): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `indices of ${prefix}-* were replaced or migrated while this process had them open: nothing can be read or written until the process is started again`,
  );
}
