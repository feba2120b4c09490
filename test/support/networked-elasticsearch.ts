import type { Elasticsearch } from '../../scripts/services/elasticsearch.ts';
import { type OwnOptions, skipSuite, startOwnElasticsearch } from './elasticsearch.ts';
import { canMakeNamespaces, NetworkNamespaces } from './network-namespaces.ts';

/** Milliseconds; three nodes start in half a minute, and a new checkout fetches the program first. */
const TIMEOUT_MS = 900_000;
const NODES = 3;
const REASON = 'needs network namespaces, which root can make with iproute2 and iptables';

/**
 * Nodes find out within six seconds that another one does not answer, not within 40, so that faults of seconds change
 * who is the master, and where primaries are.
 */
const CHECK = { interval: '500ms', timeout: '2s', retry_count: 2 };
const FAST_CHECKS = Object.fromEntries(
  Object.entries(CHECK).flatMap(([name, value]) =>
    ['follower_check', 'leader_check'].map((which) => [`cluster.fault_detection.${which}.${name}`, value]),
  ),
);

/** As docs/internals/elasticsearch.md recommends: a node that knows that it is cut off answers no reads. */
const NO_OLD_READS = { 'cluster.no_master_block': 'all' };

export interface NetworkedCluster {
  readonly elasticsearch: Elasticsearch;
  readonly network: NetworkNamespaces;
}

/**
 * Call it in `describe`: its tests have a cluster of three nodes to themselves, each on a machine of its own, so that
 * the network between them can be cut; or they are skipped.
 * @param optionsFor more options, such as a certificate for the addresses
 */
export function useNetworkedElasticsearch(
  optionsFor: (network: NetworkNamespaces) => Promise<OwnOptions> = async () => ({}),
): NetworkedCluster & { readonly cluster: NetworkedCluster } {
  let cluster: NetworkedCluster | undefined;
  let dispose: (() => Promise<void>) | undefined;
  before(async function () {
    this.timeout(TIMEOUT_MS);
    if (!canMakeNamespaces()) skipSuite(this, REASON);
    const network = new NetworkNamespaces(NODES);
    dispose = async () => network.remove();
    const { settings, ...options } = await optionsFor(network);
    const own = await startOwnElasticsearch({
      nodes: NODES,
      hosts: network.hosts,
      settings: { ...FAST_CHECKS, ...NO_OLD_READS, 'cluster.publish.timeout': '5s', ...settings },
      ...options,
    });
    cluster = { elasticsearch: own.elasticsearch, network };
    dispose = async () => {
      await own.dispose();
      network.remove();
    };
  });
  after(() => dispose?.());
  return {
    get cluster() {
      return cluster!;
    },
    get elasticsearch() {
      return cluster!.elasticsearch;
    },
    get network() {
      return cluster!.network;
    },
  };
}
