import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchWithDependencies } from './fetch-with-maven.ts';

const VERSION = '4.1.1';
/** The second one writes what the first one logs to standard error. */
const ARTIFACTS = [`org.apache.kafka:kafka_2.13:${VERSION}`, 'org.slf4j:slf4j-simple:1.7.36'];

const FOLDER = join(import.meta.dirname, '../../.services/kafka');
const NAME = `kafka-${VERSION}`;

/** The folder with the jars of the broker, which Maven fetches when they are missing: 45 files, 43 MB. */
export async function installKafka(): Promise<string> {
  const home = join(FOLDER, NAME);
  if (existsSync(home)) return home;
  await mkdir(FOLDER, { recursive: true });
  const fetching = await mkdtemp(join(FOLDER, 'fetching-'));
  try {
    await fetchWithDependencies(ARTIFACTS, fetching);
    // Another process finds all of it or nothing. It may have been faster.
    await rename(fetching, home).catch((error) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
  return home;
}

if (import.meta.main) console.log(await installKafka());
