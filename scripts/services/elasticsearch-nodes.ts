import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { configure, type ElasticsearchSecurity, type NodeEnvironment } from './elasticsearch-configuration.ts';
import type { Major } from './elasticsearch-distribution.ts';
import { ElasticsearchNode } from './elasticsearch-node.ts';
import { findFreePorts } from './free-ports.ts';
import { handOver } from './unprivileged.ts';

export interface ElasticsearchOptions {
  /** Holds all that the nodes write. It is made when it is missing; data in it is used. */
  readonly folder: string;
  /** 1 unless given. */
  readonly nodes?: number;
  /** The port of the first node; the others have the next ones. Free ones unless given. */
  readonly port?: number;
  /**
   * The memory of each node for its objects, as Java takes it; `512m` unless given. A process takes some 300 MB more.
   */
  readonly heap?: string;
  /**
   * Options of the Java machine; those for a quick start unless given. `[]` for the full compiler, as in production.
   */
  readonly jvm?: readonly string[];
  /** As in elasticsearch.yml, such as `{ 'indices.breaker.total.limit': '50%' }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Users and roles. Off unless given. */
  readonly security?: ElasticsearchSecurity;
  /** 8 unless given. */
  readonly major?: Major;
  /** One for each node; all on 127.0.0.1 unless given. */
  readonly hosts?: readonly NodeHost[];
}

/** Where a node runs, such as a network namespace; only root can start it there. */
export interface NodeHost {
  /** For clients. */
  readonly address: string;
  /** For other nodes. Elasticsearch takes those of 127.0.0.0/8 for a test, and does not insist on its limits. */
  readonly transportAddress: string;
  /** Runs the program that follows there, as another user than root. */
  readonly command: readonly string[];
}

/**
 * The quick compiler alone, and memory that is taken when it is needed: 5 seconds until ready instead of 9. The
 * collector of one thread takes 180 MB less, and a twentieth of the processor's time.
 */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:-AlwaysPreTouch', '-XX:-UseG1GC', '-XX:+UseSerialGC'];

/** Who asks whether a node is ready. */
const READINESS = { name: 'readiness', password: randomBytes(16).toString('hex'), roles: ['readiness'] };

export interface Programs {
  /** The folder of the distribution. */
  readonly home: string;
  readonly java: string;
}

/** Makes the folders of all nodes of a server or cluster, which are then ready to be started. */
export async function configureNodes(options: ElasticsearchOptions, programs: Programs): Promise<ElasticsearchNode[]> {
  const count = options.nodes ?? 1;
  const free = await findFreePorts(2 * count);
  const ports = free.slice(0, count).map((port, index) => (options.port === undefined ? port : options.port + index));
  const transportPorts = free.slice(count);
  const names = ports.map((_, index) => `node-${index + 1}`);
  const hosts = names.map((_, index) => options.hosts?.[index] ?? HERE);
  const cluster = {
    'discovery.seed_hosts': transportPorts.map((port, index) => `${hosts[index]!.transportAddress}:${port}`),
    'cluster.initial_master_nodes': names,
  };
  const settings = { ...(count === 1 ? { 'discovery.type': 'single-node' } : cluster), ...options.settings };
  return Promise.all(
    names.map((name, index) => {
      const node = { name, port: ports[index]!, transportPort: transportPorts[index]!, host: hosts[index]! };
      return configureNode({ ...options, settings }, programs, node);
    }),
  );
}

const HERE: NodeHost = { address: '127.0.0.1', transportAddress: '127.0.0.1', command: [] };

interface NodeAddress {
  readonly name: string;
  readonly host: NodeHost;
  readonly port: number;
  readonly transportPort: number;
}

async function configureNode(
  { folder, heap = '512m', jvm = QUICK_START, settings, security }: ElasticsearchOptions,
  { home, java }: Programs,
  { name, host, port, transportPort }: NodeAddress,
): Promise<ElasticsearchNode> {
  const own = join(folder, name);
  const temporary = join(own, 'tmp');
  await mkdir(temporary, { recursive: true });
  handOver(own, temporary);
  const environment: NodeEnvironment = {
    PATH: process.env.PATH,
    ES_JAVA_HOME: java,
    ES_PATH_CONF: join(own, 'config'),
    ES_TMPDIR: temporary,
    // Java leaves a file in /tmp behind when it is killed. The start script runs for a second or two: the quick
    // compiler is enough for it.
    CLI_JAVA_OPTS: '-XX:-UsePerfData -XX:TieredStopAtLevel=1',
  };
  await configure(environment.ES_PATH_CONF, {
    settings: {
      'cluster.name': 'tidemark',
      'node.name': name,
      'http.host': host.address,
      'transport.host': host.transportAddress,
      'http.port': port,
      'transport.port': transportPort,
      'path.data': join(own, 'data'),
      'path.logs': join(own, 'logs'),
      // A disk that is nearly full would make indices read-only.
      'cluster.routing.allocation.disk.threshold_enabled': false,
      // It would write again what the cluster state has, for servers whose data folders are copied.
      'gateway.write_dangling_indices_info': false,
      // The time is read, not remembered: `index.gc_deletes` counts by it.
      'thread_pool.estimated_time_interval': 0,
      ...settings,
    },
    jvm: [
      `-Xms${heap}`,
      `-Xmx${heap}`,
      '-XX:+UseG1GC',
      '-XX:-UsePerfData',
      '-XX:+ExitOnOutOfMemoryError',
      `-Djava.io.tmpdir=${temporary}`,
      ...jvm,
    ],
    security: security && {
      ...security,
      users: [...security.users, READINESS],
      roles: { ...security.roles, readiness: { cluster: ['monitor'] } },
    },
  });
  const authorization = security && `Basic ${btoa(`${READINESS.name}:${READINESS.password}`)}`;
  const caFile = security?.certificate?.caFile;
  const url = `${caFile === undefined ? 'http' : 'https'}://${host.address}:${port}`;
  const { command } = host;
  return new ElasticsearchNode({ home, folder: own, url, environment, authorization, caFile, command });
}
