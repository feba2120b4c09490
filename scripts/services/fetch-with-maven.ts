import { execFile } from 'node:child_process';
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
  const options = ['--batch-mode', '--quiet', '--strict-checksums'];
  const args = [...options, `${PLUGIN}:${goal}`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  try {
    // Maven writes a record of what it did into the working directory.
    await promisify(execFile)('mvn', args, { cwd: folder });
  } catch (error) {
    const { code, stdout } = error as { readonly code: unknown; readonly stdout: string };
    const complaint =
      code === 'ENOENT'
        ? `Maven, which fetches ${artifact}, was not found: install it (Debian's package maven)`
        : `Maven did not fetch ${artifact}:\n${stdout}`;
    throw new Error(complaint, { cause: error });
  }
}
