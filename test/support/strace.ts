import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';
import { cleanEnvironment } from './run-tidemark.ts';

/** A call that had a file or folder written to the disk. */
export interface Sync {
  readonly call: 'fsync' | 'fdatasync';
  readonly path: string;
}

interface TracedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** Runs a program of Node to its end, and returns its syncs in order. */
export function syncsOf(program: readonly string[], { cwd, env, input }: TracedOptions) {
  const log = `${cwd}/syncs.log`;
  const options = ['--follow-forks', '--decode-fds=path', '--quiet=all', '--trace=fsync,fdatasync', `--output=${log}`];
  const { status, stderr } = spawnSync('strace', [...options, process.execPath, ...program], {
    cwd,
    input,
    env: { ...cleanEnvironment(), ...env },
    encoding: 'utf8',
  });
  return { status, stderr, syncs: syncsIn(readFileSync(log, 'utf8')) };
}

/** A test of what the program has the system write to the disk. */
export function itWithStrace(title: string, test: AsyncFunc): void {
  const { status } = spawnSync('strace', ['--quiet=all', '--trace=fsync', 'true']);
  const missing = status === 0 ? undefined : "needs Debian's strace, and the permission to trace processes";
  itNeeding({ name: 'strace', missing }, title, test);
}

function syncsIn(log: string): readonly Sync[] {
  const calls = log.matchAll(/(fsync|fdatasync)\(\d+<([^>]+)>/g);
  return [...calls].map(([, call, path]) => ({ call: call as Sync['call'], path: path! }));
}
