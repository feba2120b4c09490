import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchWithMaven } from './fetch-with-maven.ts';

const VERSION = '1.12.1';
const NAME = `avro-tools-${VERSION}.jar`;
const FOLDER = join(import.meta.dirname, '../../.services/avro-tools');

/** The jar of Avro's own tools, which Maven fetches when it is not there: 72 MB. */
export async function installAvroTools(): Promise<string> {
  const jar = join(FOLDER, NAME);
  if (existsSync(jar)) return jar;
  await mkdir(FOLDER, { recursive: true });
  const fetching = await mkdtemp(join(FOLDER, 'fetching-'));
  try {
    await fetchWithMaven({ artifact: `org.apache.avro:avro-tools:${VERSION}:jar`, goal: 'copy', folder: fetching });
    // Another process finds the whole file or none.
    await rename(join(fetching, NAME), jar);
  } finally {
    await rm(fetching, { recursive: true });
  }
  return jar;
}

if (import.meta.main) console.log(await installAvroTools());
