import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findJava } from './find-java.ts';
import { findFreePorts } from './free-ports.ts';
import { installKafka } from './kafka-program.ts';
import { ServiceProcess } from './service-process.ts';

export interface KafkaServer extends Pick<ServiceProcess, 'start' | 'stop' | 'kill'> {
  /** `127.0.0.1:PORT`. */
  readonly broker: string;
}

/** The quick compiler alone, and little memory: 6 seconds until ready. */
const JVM = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];

/**
 * Starts a real Kafka of one broker on this machine, and fetches the program first where it is missing. It makes no
 * topics by itself. It ends with this process, however that ends.
 * @param folder is made when it is missing; data in it is used
 */
export async function startKafka({ folder: place }: { readonly folder: string }): Promise<KafkaServer> {
  const java = join(findJava(), 'bin/java');
  const classes = [...JVM, '-cp', join(await installKafka(), '*')];
  const folder = resolve(place);
  const data = join(folder, 'data');
  const settings = join(folder, 'server.properties');
  const [port, controllerPort] = await findFreePorts(2);
  const isNew = !existsSync(data);
  await mkdir(data, { recursive: true });
  await writeFile(settings, settingsOf({ data, port: port!, controllerPort: controllerPort! }));
  if (isNew) {
    const cluster = randomBytes(16).toString('base64url');
    // An id that begins with a hyphen is no option.
    const format = ['kafka.tools.StorageTool', 'format', `--cluster-id=${cluster}`, '-c', settings];
    await promisify(execFile)(java, [...classes, ...format]);
  }
  const server = new ServiceProcess({
    name: 'Kafka',
    command: java,
    args: [...classes, 'kafka.Kafka', settings],
    logFile: join(folder, 'log'),
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    refusesRoot: false,
    isReady: () => accepts(port!),
  });
  await server.start();
  return {
    broker: `127.0.0.1:${port}`,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
  };
}

interface KafkaPlace {
  readonly data: string;
  readonly port: number;
  readonly controllerPort: number;
}

function settingsOf({ data, port, controllerPort }: KafkaPlace): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    // Consumers of tests get their partitions at once.
    'group.initial.rebalance.delay.ms': 0,
    // A broker that was killed comes back under its number when this time of its last life is over.
    'broker.session.timeout.ms': 1_000,
    'broker.heartbeat.interval.ms': 200,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** The broker opens its port when it can answer. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

if (import.meta.main) {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const folder = await mkdtemp(join(tmpdir(), 'kafka-'));
  try {
    const server = await startKafka({ folder });
    console.log(server.broker);
    await interrupted;
    await server.stop();
  } finally {
    await rm(folder, { recursive: true });
  }
}
