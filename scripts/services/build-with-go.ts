import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface GoProgram {
  /** Of a command, such as `github.com/versity/versitygw/cmd/versitygw`. */
  readonly module: string;
  readonly version: string;
  readonly name: string;
  /** The folder in `.services`. */
  readonly folder: string;
  /** What Go is for, and what to do without it: a message for the machine that lacks it. */
  readonly needed: string;
}

/**
 * The path of a program that Go builds once, and keeps in `.services`.
 * @throws Error that says what to install, or what Go complains about
 */
export async function buildWithGo(program: GoProgram): Promise<string> {
  const { name, version } = program;
  const folder = join(import.meta.dirname, '../../.services', program.folder);
  const built = join(folder, `${name}-${version}`);
  if (existsSync(built)) return built;
  await mkdir(folder, { recursive: true });
  const building = await mkdtemp(join(folder, 'building-'));
  try {
    await build(program, building);
    // Other processes find a whole program, or none.
    await rename(join(building, name), built);
  } finally {
    await rm(building, { recursive: true });
  }
  return built;
}

async function build({ module, version, needed }: GoProgram, folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  try {
    await run('go', ['install', '-trimpath', '-ldflags=-s -w', `${module}@${version}`], { env, cwd: folder });
  } catch (error) {
    const { code, stderr } = error as { readonly code: unknown; readonly stderr: string };
    const complaint = code === 'ENOENT' ? needed : `Go did not build ${module}@${version}:\n${stderr}`;
    throw new Error(complaint, { cause: error });
  }
}
