import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Of Maven's plugin that fetches single files. */
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

export interface MavenArtifact {
  /** As Maven writes it: `group:name:version:type`. */
  readonly artifact: string;
  /** As it is, or what is in it. */
  readonly goal: 'copy' | 'unpack';
  readonly folder: string;
}

/**
 * Puts a file of Maven's repository, or what is in it, into a folder.
 * @throws Error with what Maven said, or that it is missing
 */
export async function fetchWithMaven({ artifact, goal, folder }: MavenArtifact): Promise<void> {
  await runMaven(artifact, folder, [`${PLUGIN}:${goal}`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
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
  await runMaven(artifacts.join(' and '), folder, goal);
}

function coordinatesOf(artifact: string): string {
  const [group, name, version] = artifact.split(':');
  return `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>`;
}

async function runMaven(artifact: string, folder: string, goal: readonly string[]): Promise<void> {
  const options = ['--batch-mode', '--quiet', '--strict-checksums'];
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
