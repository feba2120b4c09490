import { type OwnElasticsearch, startOwnElasticsearch } from './elasticsearch.ts';

let own: OwnElasticsearch | undefined;

/** Starts what the tests share before their files are handed to several processes: one server for all of them. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env.ELASTICSEARCH_URL !== undefined) return;
  try {
    own = await startOwnElasticsearch();
    process.env.ELASTICSEARCH_URL = own.elasticsearch.url;
  } catch (error) {
    // The tests tell why they are skipped, or fail.
    process.env.ELASTICSEARCH_MISSING = (error as Error).message;
  }
}

export async function mochaGlobalTeardown(): Promise<void> {
  await own?.dispose();
}
