import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** Of Maven's plugin that fetches single files. */
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

const STRICT = '--strict-checksums';

export interface MavenArtifact {
  /** As Maven writes it: `group:name:version:type`. */
  readonly artifact: string;
  /** As it is, or what is in it. */
  readonly goal: 'copy' | 'unpack';
  readonly folder: string;
  /** Of the file, where the repository has no checksum: without one, what it has counts. */
  readonly sha256?: string | undefined;
}

/**
 * Puts a file of Maven's repository, or what is in it, into a folder.
 * @throws Error with what Maven said, or that it is missing
 */
export async function fetchWithMaven({ artifact, goal, folder, sha256 }: MavenArtifact): Promise<void> {
  const argumentsOf = (done: MavenArtifact['goal'], into: string) => [
    `${PLUGIN}:${done}`,
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${into}`,
  ];
  if (sha256 === undefined) return runMaven(artifact, folder, [STRICT, ...argumentsOf(goal, folder)]);
  const copy = await mkdtemp(join(folder, 'checking-'));
  try {
    await runMaven(artifact, folder, argumentsOf('copy', copy));
    const [file] = await readdir(copy);
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(copy, file!)), hash);
    const found = hash.digest('hex');
    if (found !== sha256) throw new Error(`Maven fetched another ${artifact}: its SHA-256 is ${found}, not ${sha256}`);
  } finally {
    await rm(copy, { recursive: true });
  }
  await runMaven(artifact, folder, argumentsOf(goal, folder));
}

/**
 * Puts jars of Maven's repository, and the jars that they need to run, into a folder.
 * @param artifacts `group:name:version`
 * @throws Error with what Maven said, or that it is missing
 */
export async function fetchWithDependencies(artifacts: readonly string[], folder: string): Promise<void> {
  const own = coordinatesOf('tidemark:programs:1');
  const dependencies = artifacts.map((artifact) => `<dependency>${coordinatesOf(artifact)}</dependency>`).join('');
  const project = `<modelVersion>4.0.0</modelVersion>${own}<dependencies>${dependencies}</dependencies>`;
  await writeFile(join(folder, 'pom.xml'), `<project>${project}</project>`);
  const goal = [`${PLUGIN}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  await runMaven(artifacts.join(' and '), folder, [STRICT, ...goal]);
}

function coordinatesOf(artifact: string): string {
  const [group, name, version] = artifact.split(':');
  return `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>`;
}

async function runMaven(artifact: string, folder: string, goal: readonly string[]): Promise<void> {
  const options = ['--batch-mode', '--quiet'];
  try {
    // Maven writes a record of what it did into the working directory.
    await promisify(execFile)('mvn', [...options, ...goal], { cwd: folder });
  } catch (error) {
    const { code, stdout } = error as { readonly code: unknown; readonly stdout: string };
    const complaint =
      code === 'ENOENT'
        ? `Maven, which fetches ${artifact}, was not found: install it (Debian's package maven)`
        : `Maven did not fetch ${artifact}:\n${stdout}`;
    throw new Error(complaint, { cause: error });
  }
}
