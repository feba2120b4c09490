import { startSharedElasticsearch } from './elasticsearch.ts';
import { environmentOf, startSharedS3 } from './s3.ts';

const closers: (() => Promise<void>)[] = [];

/**
 * Starts what the tests share before their files are handed to several processes: one server of each kind for all of
 * them.
 */
export async function mochaGlobalSetup(): Promise<void> {
  await Promise.all([shareElasticsearch(), shareS3()]);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const close of closers) await close();
}

async function shareElasticsearch(): Promise<void> {
  if (process.env.ELASTICSEARCH_URL !== undefined) return;
  try {
    const { service, dispose } = await startSharedElasticsearch();
    closers.push(dispose);
    process.env.ELASTICSEARCH_URL = service.url;
  } catch (error) {
    // The tests say why they are skipped, or fail.
    process.env.ELASTICSEARCH_MISSING = (error as Error).message;
  }
}

async function shareS3(): Promise<void> {
  if (process.env.S3_ENDPOINT !== undefined) return;
  try {
    const { service, dispose } = await startSharedS3();
    closers.push(dispose);
    Object.assign(process.env, environmentOf(service), { S3_ENDPOINT: service.endpoint });
  } catch (error) {
    process.env.S3_MISSING = (error as Error).message;
  }
}
