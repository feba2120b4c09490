import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchWithMaven } from './fetch-with-maven.ts';

const VERSION = '8.19.21';

/** The server that Elasticsearch's own integration tests run on: no bundled Java, and few modules. */
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;

const FOLDER = join(import.meta.dirname, '../../.services/elasticsearch');
const NAME = `elasticsearch-${VERSION}`;

/** The folder of the distribution, which Maven fetches when it is not there: about 110 MB. */
export async function installElasticsearch(): Promise<string> {
  const home = join(FOLDER, NAME);
  if (existsSync(home)) return home;
  await mkdir(FOLDER, { recursive: true });
  const unpacking = await mkdtemp(join(FOLDER, 'unpacking-'));
  try {
    await fetchWithMaven({ artifact: ARTIFACT, goal: 'unpack', folder: unpacking });
    // Another process finds all of it or nothing. It may have been faster.
    await rename(join(unpacking, NAME), home).catch((error) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(unpacking, { recursive: true });
  }
  return home;
}

if (import.meta.main) await installElasticsearch();
