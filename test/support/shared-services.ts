import { startOwnElasticsearch } from './elasticsearch.ts';
import { environmentOf, startOwnS3 } from './s3.ts';

const closers: (() => Promise<void>)[] = [];

/** Starts what the tests share before their files are handed to several processes: one server of each kind for all of them. */
export async function mochaGlobalSetup(): Promise<void> {
  await Promise.all([shareElasticsearch(), shareS3()]);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const close of closers) await close();
}

async function shareElasticsearch(): Promise<void> {
  if (process.env.ELASTICSEARCH_URL !== undefined) return;
  try {
    const { elasticsearch, dispose } = await startOwnElasticsearch();
    closers.push(dispose);
    process.env.ELASTICSEARCH_URL = elasticsearch.url;
  } catch (error) {
    // The tests tell why they are skipped, or fail.
    process.env.ELASTICSEARCH_MISSING = (error as Error).message;
  }
}

async function shareS3(): Promise<void> {
  if (process.env.S3_ENDPOINT !== undefined) return;
  try {
    const { server, dispose } = await startOwnS3();
    closers.push(dispose);
    Object.assign(process.env, environmentOf(server), { S3_ENDPOINT: server.endpoint });
  } catch (error) {
    process.env.S3_MISSING = (error as Error).message;
  }
}
