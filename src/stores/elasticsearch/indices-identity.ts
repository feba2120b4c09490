import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';

/** A node that was cut off waits so long for a master. Its answer, 503, sends the request to another node. */
const MASTER_TIMEOUT = '2s';
/** Milliseconds: deleting indices and creating or restoring others takes about as long. */
const IDENTITY_VALID_MS = 250;

/** Indices by name: the uuid and the schema of each. */
type Identities = ReadonlyMap<string, string>;

interface Found {
  readonly identities: Identities;
  /** The aliases of the ledgers: among them the names of removed segments of the log. */
  readonly aliases: ReadonlySet<string>;
}

/**
 * Detects that the log, the ledgers or the catalog is another index than when the store was opened, because it was
 * deleted and created anew, or restored from a snapshot. The number of the next commit would then not be a fence, and a
 * commit might be acknowledged that no reader ever finds. Also detects a migration by another version, which may write
 * what this one cannot read. Segments of the log may be added and removed.
 */
export class IndicesIdentity {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  /** Those that were found so far. */
  readonly #known = new Map<string, string>();
  #isReplaced = false;
  /**
   * When the last successful check began, by the wall clock and by the monotonic clock of this process, which stops
   * while the machine sleeps.
   */
  #checked = { clock: Number.NEGATIVE_INFINITY, process: Number.NEGATIVE_INFINITY };

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /**
   * @param freshMs milliseconds for which the last check is valid
   * @throws TidemarkError `unavailable` when the indices differ from those of the first call
   */
  async require(freshMs = IDENTITY_VALID_MS): Promise<void> {
    const now = { clock: Date.now(), process: performance.now() };
    const age = Math.max(Math.abs(now.clock - this.#checked.clock), now.process - this.#checked.process);
    if (!this.#isReplaced && age < freshMs) return;
    const found = await this.#read();
    this.#isReplaced ||= !isContinued(this.#known, found);
    if (this.#isReplaced) throw isReplaced(this.#names);
    for (const [name, identity] of found.identities) this.#known.set(name, identity);
    this.#checked = now;
  }

  async #read(): Promise<Found> {
    const { log, ledgers, catalog } = this.#names;
    const indices = await this.#cluster.ask((client) =>
      client.indices.get({
        index: [log, ledgers, catalog],
        features: ['aliases', 'settings', 'mappings'],
        master_timeout: MASTER_TIMEOUT,
        filter_path: '*.aliases,*.settings.index.uuid,*.mappings._meta.schema_version',
      }),
    );
    const identities = Object.entries(indices).map(([name, { settings, mappings }]) => {
      return [name, `${settings?.index?.uuid} ${mappings?._meta?.schema_version}`] as const;
    });
    const aliases = Object.values(indices)
      .map((index) => Object.keys(index.aliases ?? {}))
      .find((names) => names.includes(ledgers));
    return { identities: new Map(identities), aliases: new Set(aliases) };
  }
}

/**
 * Whether each index that was known is still the same, or a removed segment: its name is an alias of the ledgers then,
 * and the ledgers are the same.
 */
function isContinued(known: Identities, { identities, aliases }: Found): boolean {
  return [...known].every(([name, identity]) => {
    return identities.get(name) === identity || (!identities.has(name) && aliases.has(name));
  });
}

function isReplaced({ prefix }: IndexNames): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `indices of ${prefix}-* were replaced or migrated while this process had them open: nothing can be read or written until the process is started again`,
  );
}
