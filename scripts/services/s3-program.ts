import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The same as in docker-compose.yml. */
export const VERSION = 'v1.8.0';
const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;

const FOLDER = join(import.meta.dirname, '../../.services/versitygw');
const NAME = `versitygw-${VERSION}`;

/** The program of the S3 server. Go builds it once: the first time takes two minutes and 1.5 GB of Go's caches. */
export async function installS3(): Promise<string> {
  const program = join(FOLDER, NAME);
  if (existsSync(program)) return program;
  await mkdir(FOLDER, { recursive: true });
  const building = await mkdtemp(join(FOLDER, 'building-'));
  try {
    await build(building);
    // Other processes find a whole program, or none.
    await rename(join(building, 'versitygw'), program);
  } finally {
    await rm(building, { recursive: true });
  }
  return program;
}

async function build(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  try {
    await run('go', ['install', '-trimpath', '-ldflags=-s -w', MODULE], { env, cwd: folder });
  } catch (error) {
    const { code, stderr } = error as { readonly code: unknown; readonly stderr: string };
    const complaint =
      code === 'ENOENT'
        ? 'Go, which builds the S3 server versitygw, was not found: ' +
          'install Go 1.25 or newer (https://go.dev/dl), or name a server in S3_ENDPOINT'
        : `Go did not build ${MODULE}:\n${stderr}`;
    throw new Error(complaint, { cause: error });
  }
}

if (import.meta.main) console.log(await installS3());
