import type { Admin } from '@platformatic/kafka';
import type { KafkaServer } from '../../config/dataset-values.ts';
import { TidemarkError } from '../../core/errors.ts';

export interface KafkaPlace {
  readonly brokers: readonly KafkaServer[];
  /** The ENV of `sandcrawler-ENV.ingest-fileset-results`. */
  readonly environment: string;
}

/** Topics are made with so many partitions (D50): at most so many consumers share the work. */
const PARTITIONS = 6;

const METADATA_RETRIES = 20;

/** The names of the topics. Only results of filesets have a name in the source document. */
export function topicsOf({ environment }: Pick<KafkaPlace, 'environment'>) {
  const topic = (name: string) => `sandcrawler-${environment}.${name}`;
  return {
    requests: topic('ingest-fileset-requests'),
    results: topic('ingest-fileset-results'),
    fileResults: topic('ingest-file-results'),
  } as const;
}

/** What every client of Kafka is made with. */
export function clientOptions({ brokers }: Pick<KafkaPlace, 'brokers'>) {
  return {
    clientId: 'tidemark',
    bootstrapBrokers: brokers.map(({ host, port }) => ({ host, port })),
    connectTimeout: 5_000,
    timeout: 30_000,
    // A sink that is away is tried again by its job, and a consumer by its loop.
    retries: 2,
    retryDelay: 250,
  };
}

/** Which of the topics do not exist. @throws what the client throws */
export function missingTopics(place: KafkaPlace, topics: readonly string[]): Promise<readonly string[]> {
  return withAdmin(place, async (admin) => {
    const existing = new Set(await admin.listTopics());
    return topics.filter((topic) => !existing.has(topic));
  });
}

/**
 * Makes topics unless they exist.
 * @param keepsAll messages stay for ever (D50); else as long as the broker's settings say
 * @throws what the client throws
 */
export async function makeTopics(
  place: KafkaPlace,
  topics: readonly string[],
  { keepsAll }: { readonly keepsAll: boolean },
): Promise<void> {
  const missing = await missingTopics(place, topics);
  if (missing.length === 0) return;
  const { findErrorBy } = await import('@platformatic/kafka');
  const configs = keepsAll ? [{ name: 'retention.ms', value: '-1' }] : [];
  await withAdmin(place, async (admin) => {
    await admin.createTopics({ topics: [...missing], partitions: PARTITIONS, configs }).catch((error: Error) => {
      // Another process was faster.
      if (findErrorBy(error, 'apiId', 'TOPIC_ALREADY_EXISTS') === null) throw error;
    });
    // Fails, and is tried again, until each partition has a broker: the first messages would be sent twice.
    await admin.metadata({ topics: [...missing], forceUpdate: true, retries: METADATA_RETRIES });
  });
}

async function withAdmin<Result>(place: KafkaPlace, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const client = await import('@platformatic/kafka');
  const admin = new client.Admin(clientOptions(place));
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** With the innermost message of the client: those around it only say that something has failed. */
export function kafkaAway(error: unknown, { brokers }: Pick<KafkaPlace, 'brokers'>): TidemarkError {
  const servers = brokers.map(({ host, port }) => `${host}:${port}`).join(', ');
  const message = `Kafka at ${servers} cannot be used (${innermost(error)}): start it, or correct --dataset-kafka`;
  return new TidemarkError('unavailable', message, { sink: 'kafka' }, error);
}

function innermost(error: unknown): string {
  const { errors = [], cause, message } = error as AggregateError;
  const inner = errors[0] ?? cause;
  return inner instanceof Error ? innermost(inner) : message;
}
