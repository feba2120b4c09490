import { setTimeout as wait } from 'node:timers/promises';
import type { Elasticsearch } from '../../scripts/services/elasticsearch.ts';
import type { Cut, NetworkNamespaces } from './network-namespaces.ts';

const CUTS = ['cluster', 'all', 'deaf', 'mute'] as const satisfies readonly Cut[];
/** Half of them are cuts. */
const KINDS = ['kill', 'kill', 'pause', 'pause', ...CUTS] as const;

export interface ClusterFault {
  /** What happens to a node: it is killed, paused, or cut off. */
  readonly kind: (typeof KINDS)[number];
  readonly node: number;
  /** Until it is undone. */
  readonly seconds: number;
  /** Until the next one. */
  readonly pauseSeconds: number;
}

/** `TEST_SECONDS=6` for a quick run. */
const SECONDS = { least: 2, most: Number(process.env.TEST_SECONDS ?? 40) };
const MOST_PAUSE_SECONDS = SECONDS.most / 4;

/** Faults of one node after the other, the same ones for the same seed: every kind once, and then at random. */
export function randomFaults(seed: number, count: number, nodes: number): readonly ClusterFault[] {
  let state = 2 * seed + 1;
  const random = (below: number) => {
    // xorshift32.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  return Array.from({ length: count }, (_, at) => ({
    kind: KINDS[at < KINDS.length ? (at * 3) % KINDS.length : random(KINDS.length)]!,
    node: random(nodes),
    // More of the short ones, which end while the cluster is still finding out.
    seconds: Math.round(SECONDS.least + (SECONDS.most - SECONDS.least) * (random(1000) / 1000) ** 2),
    pauseSeconds: random(Math.floor(MOST_PAUSE_SECONDS) + 1),
  }));
}

/** Lets one fault happen, and undoes it. The cluster is not whole again at once. */
export async function strike(
  { kind, node: at, seconds }: ClusterFault,
  { nodes }: Elasticsearch,
  network: NetworkNamespaces,
): Promise<void> {
  const node = nodes[at]!;
  if (kind === 'kill') await node.kill();
  else if (kind === 'pause') node.pause();
  else network.cutOff(at, kind);
  try {
    await wait(seconds * 1000);
  } finally {
    if (kind === 'kill') await node.start();
    else if (kind === 'pause') node.resume();
    else network.heal();
  }
}
