import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { type KafkaServer, startKafka } from '../../scripts/services/kafka.ts';
import { type PostgresqlServer, startPostgresql } from '../../scripts/services/postgresql.ts';

/** Milliseconds; a new checkout fetches Kafka first. */
const TIMEOUT_MS = 600_000;

interface Service {
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Call it in `describe`: its tests have a PostgreSQL to themselves, or are skipped with the reason. */
export function usePostgresql(): { readonly postgresql: PostgresqlServer } {
  const own = useService('PostgreSQL', startPostgresql);
  return {
    get postgresql() {
      return own.service;
    },
  };
}

/** Call it in `describe`: its tests have a Kafka of one broker to themselves, or are skipped with the reason. */
export function useKafka(): { readonly kafka: KafkaServer } {
  const own = useService('Kafka', startKafka);
  return {
    get kafka() {
      return own.service;
    },
  };
}

function useService<Server extends Service>(
  name: string,
  start: (place: { readonly folder: string }) => Promise<Server>,
): { readonly service: Server } {
  let folder: string | undefined;
  let service: Server | undefined;
  before(async function () {
    this.timeout(TIMEOUT_MS);
    folder = await mkdtemp(join(tmpdir(), 'service-'));
    try {
      service = await start({ folder });
    } catch (error) {
      skipSuite(this, `needs ${name}: ${(error as Error).message.split('\n')[0]}`, error);
    }
  });
  after(async () => {
    await service?.kill();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });
  return {
    get service() {
      return service!;
    },
  };
}

/** Under CI nothing may be skipped, and it throws. */
function skipSuite(context: Context, reason: string, error: unknown): void {
  if (process.env.CI === 'true') throw error;
  context.test!.parent!.eachTest((test) => {
    test.title += ` (${reason})`;
  });
  context.skip();
}
