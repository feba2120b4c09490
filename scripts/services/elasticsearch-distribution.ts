import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchWithMaven } from './fetch-with-maven.ts';

/** Of Elasticsearch; the program works with both. */
export type Major = 8 | 9;

interface Release {
  readonly version: string;
  readonly oldestJava: number;
  /** Of the file, where Maven's repository has no checksum. */
  readonly sha256?: string;
}

const RELEASES: Readonly<Record<Major, Release>> = {
  8: { version: '8.19.21', oldestJava: 17 },
  9: {
    version: '9.5.0',
    oldestJava: 21,
    sha256: 'db0e275fd790f723eca7bcde96069fd6fed304ad23afdb70c8c09553dd9e8b1b',
  },
};

const FOLDER = join(import.meta.dirname, '../../.services/elasticsearch');

export interface Distribution {
  readonly version: string;
  /** Its folder. */
  readonly home: string;
  /** The oldest Java that it runs on. */
  readonly oldestJava: number;
}

/** The distribution, which Maven fetches when it is not there: about 110 MB. */
export async function installElasticsearch(major: Major = 8): Promise<Distribution> {
  const { version, oldestJava, sha256 } = RELEASES[major];
  const name = `elasticsearch-${version}`;
  const home = join(FOLDER, name);
  const distribution = { version, home, oldestJava };
  if (existsSync(home)) return distribution;
  await mkdir(FOLDER, { recursive: true });
  const unpacking = await mkdtemp(join(FOLDER, 'unpacking-'));
  // The server that Elasticsearch's own integration tests run on: no bundled Java, and few modules.
  const artifact = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${version}:zip`;
  try {
    await fetchWithMaven({ artifact, goal: 'unpack', folder: unpacking, sha256 });
    // Another process finds all of it or nothing. It may have been faster.
    await rename(join(unpacking, name), home).catch((error) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(unpacking, { recursive: true });
  }
  return distribution;
}

if (import.meta.main) await installElasticsearch();
