import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '8.19.21';

/** The server that Elasticsearch's own integration tests run on: no bundled Java, and few modules. */
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';

const FOLDER = join(import.meta.dirname, '../../.services/elasticsearch');
const NAME = `elasticsearch-${VERSION}`;

/** The folder of the distribution, which Maven fetches when it is not there: about 110 MB. */
export async function installElasticsearch(): Promise<string> {
  const home = join(FOLDER, NAME);
  if (existsSync(home)) return home;
  await mkdir(FOLDER, { recursive: true });
  const unpacking = await mkdtemp(join(FOLDER, 'unpacking-'));
  try {
    await unpack(unpacking);
    // Whoever finds it finds it whole. Another process may have been faster.
    await rename(join(unpacking, NAME), home).catch((error) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(unpacking, { recursive: true });
  }
  return home;
}

async function unpack(folder: string): Promise<void> {
  const options = ['--batch-mode', '--quiet', '--strict-checksums'];
  try {
    // Maven writes a note of what it did into the working directory.
    await run('mvn', [...options, UNPACK, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${folder}`], { cwd: folder });
  } catch (error) {
    const { code, stdout } = error as { readonly code: unknown; readonly stdout: string };
    const complaint =
      code === 'ENOENT'
        ? "Maven, which fetches Elasticsearch, was not found: install it (Debian's package maven)"
        : `Maven did not fetch ${ARTIFACT}:\n${stdout}`;
    throw new Error(complaint, { cause: error });
  }
}

if (import.meta.main) await installElasticsearch();
