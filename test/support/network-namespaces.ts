import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { NodeHost } from '../../scripts/services/elasticsearch-nodes.ts';

/**
 * What a machine does not hear: `cluster` other machines, `all` clients either. `deaf` and `mute` are the halves of
 * `cluster`: it does not hear others, or others do not hear it.
 */
export type Cut = 'cluster' | 'all' | 'deaf' | 'mute';

/** The user that scripts/services/unprivileged.ts starts servers as. */
const USER = '65534';
const AS_NOBODY = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];

/** Whether network namespaces can be made: by root, where the kernel allows it. */
export function canMakeNamespaces(): boolean {
  try {
    const name = `tm-try-${process.pid}`;
    run('ip', 'netns', 'add', name);
    run('ip', 'netns', 'delete', name);
    run('iptables', '--version');
    return true;
  } catch {
    return false;
  }
}

/**
 * Several machines on one switch, each a network namespace; the tests are on it, too. A cut drops packets without a
 * word, as a failed switch does.
 */
export class NetworkNamespaces {
  readonly hosts: readonly NodeHost[];
  readonly #bridge: string;
  /** Of this process. */
  readonly #own: string;
  readonly #names: readonly string[];
  readonly #remove = () => this.#removeAll();

  constructor(count: number) {
    const id = `tm${process.pid}`;
    const network = `10.${randomInt(200, 250)}.${randomInt(1, 250)}`;
    this.#bridge = id;
    this.#own = `${network}.1`;
    this.#names = Array.from({ length: count }, (_, at) => `${id}n${at}`);
    this.hosts = this.#names.map((name, at) => ({
      address: `${network}.${at + 2}`,
      transportAddress: `127.77.0.${at + 2}`,
      command: ['ip', 'netns', 'exec', name, ...AS_NOBODY],
    }));
    process.once('exit', this.#remove);
    run('ip', 'link', 'add', this.#bridge, 'type', 'bridge');
    run('ip', 'address', 'add', `${this.#own}/24`, 'dev', this.#bridge);
    run('ip', 'link', 'set', this.#bridge, 'up');
    for (const [at, name] of this.#names.entries()) this.#add(name, this.hosts[at]!);
  }

  /** Until it is healed. */
  cutOff(at: number, cut: Cut): void {
    const others = this.hosts.map((_, other) => other).filter((other) => other !== at);
    const drop = (on: number, from: string) => this.#iptables(on, '-A', 'INPUT', '-s', from, '-j', 'DROP');
    if (cut !== 'mute') for (const other of others) drop(at, this.hosts[other]!.transportAddress);
    if (cut !== 'deaf') for (const other of others) drop(other, this.hosts[at]!.transportAddress);
    if (cut === 'all') drop(at, this.#own);
  }

  /** Ends all cuts. */
  heal(): void {
    for (const at of this.#names.keys()) this.#iptables(at, '-F', 'INPUT');
  }

  /** When all that ran there has ended. */
  remove(): void {
    process.off('exit', this.#remove);
    this.#removeAll();
  }

  #add(name: string, { address, transportAddress }: NodeHost): void {
    run('ip', 'netns', 'add', name);
    run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    run('ip', 'link', 'set', name, 'master', this.#bridge, 'up');
    for (const device of ['lo', 'eth0']) run('ip', '-n', name, 'link', 'set', device, 'up');
    // All but 127.0.0.1 of 127.0.0.0/8 is on the network, as any other address.
    const settings = ['all', 'eth0'].map((device) => `net.ipv4.conf.${device}.route_localnet=1`);
    run('ip', 'netns', 'exec', name, 'sysctl', '-qw', ...settings);
    run('ip', '-n', name, 'address', 'delete', '127.0.0.1/8', 'dev', 'lo');
    run('ip', '-n', name, 'address', 'add', '127.0.0.1/32', 'dev', 'lo');
    for (const own of [address, transportAddress]) {
      run('ip', '-n', name, 'address', 'add', `${own}/24`, 'dev', 'eth0');
    }
  }

  #iptables(at: number, ...args: readonly string[]): void {
    run('ip', 'netns', 'exec', this.#names[at]!, 'iptables', '-w', ...args);
  }

  #removeAll(): void {
    for (const name of this.#names) attempt('ip', 'netns', 'delete', name);
    attempt('ip', 'link', 'delete', this.#bridge);
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** What was not made cannot be removed. */
function attempt(program: string, ...args: readonly string[]): void {
  try {
    run(program, ...args);
  } catch {}
}
