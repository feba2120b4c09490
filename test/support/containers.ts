import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { readComposeFile } from './compose-file.ts';
import type { S3Place } from './s3.ts';

/** A service in a container. */
export interface Contained<Service> {
  readonly service: Service;
  /** Removes the container, and all that it wrote. */
  dispose(): Promise<void>;
}

/** Where Docker listens unless `DOCKER_HOST` names another place. */
const SOCKET = 'unix:///var/run/docker.sock';
/** Milliseconds for the answer of the Docker engine. */
const PROBE_TIMEOUT = 1_000;
/** Milliseconds until a service is ready; the first time, its image is fetched. */
const STARTUP_TIMEOUT = 600_000;
const ELASTICSEARCH_PORT = 9200;
const S3_PORT = 7070;

let answers: Promise<boolean> | undefined;

/** Whether a Docker engine answers on this machine. Without one, this takes a millisecond, and nothing is loaded. */
export function hasDocker(): Promise<boolean> {
  answers ??= answersPing(process.env.DOCKER_HOST ?? SOCKET);
  return answers;
}

/** Starts the Elasticsearch of docker-compose.yml, without security. */
export async function startElasticsearchContainer(): Promise<Contained<{ readonly url: string }>> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(imageOf('elasticsearch'))
    .withEnvironment({
      'discovery.type': 'single-node',
      'xpack.security.enabled': 'false',
      'xpack.ml.enabled': 'false',
      'ingest.geoip.downloader.enabled': 'false',
      // A disk that is nearly full would make indices read-only.
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
      ES_JAVA_OPTS: '-Xms512m -Xmx512m',
    })
    .withExposedPorts(ELASTICSEARCH_PORT)
    .withWaitStrategy(Wait.forHttp('/_cluster/health?wait_for_status=yellow&timeout=1s', ELASTICSEARCH_PORT))
    .withStartupTimeout(STARTUP_TIMEOUT)
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(ELASTICSEARCH_PORT)}`;
  return { service: { url }, dispose: () => container.stop().then(() => {}) };
}

/** Starts the S3 server of docker-compose.yml. */
export async function startS3Container(): Promise<Contained<S3Place>> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const keys = { accessKeyId: 'tests', secretAccessKey: randomBytes(24).toString('hex') };
  const container = await new GenericContainer(imageOf('s3'))
    .withCommand(['posix', '/buckets'])
    .withTmpFs({ '/buckets': 'rw' })
    .withEnvironment({
      ROOT_ACCESS_KEY_ID: keys.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
      VGW_PORT: `:${S3_PORT}`,
      VGW_HEALTH: '/healthz',
    })
    .withExposedPorts(S3_PORT)
    .withWaitStrategy(Wait.forHttp('/healthz', S3_PORT))
    .withStartupTimeout(STARTUP_TIMEOUT)
    .start();
  const endpoint = `http://${container.getHost()}:${container.getMappedPort(S3_PORT)}`;
  return { service: { endpoint, keys }, dispose: () => container.stop().then(() => {}) };
}

/** The image of a service: docker-compose.yml is the one place that names it. */
function imageOf(service: 'elasticsearch' | 's3'): string {
  return readComposeFile().services[service]!.image!;
}

/** Asks an engine whether it is alive. Only `unix` and `tcp` addresses are known. */
export async function answersPing(host: string): Promise<boolean> {
  const { protocol, hostname, port, pathname } = new URL(host);
  if (protocol !== 'unix:' && protocol !== 'tcp:') return false;
  const place = protocol === 'unix:' ? { socketPath: pathname } : { hostname, port: port || '2375' };
  return new Promise((resolve) => {
    const question = request({ ...place, path: '/_ping', timeout: PROBE_TIMEOUT }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    });
    question.on('timeout', () => question.destroy());
    question.on('close', () => resolve(false));
    question.on('error', () => resolve(false));
    question.end();
  });
}
