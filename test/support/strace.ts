import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';
import { cleanEnvironment } from './run-tidemark.ts';

/** A call that had a file or folder written to the disk, with `syncfs` all files of its file system. */
export interface Sync {
  readonly call: 'fsync' | 'fdatasync' | 'syncfs';
  readonly path: string;
}

/** A call that gave a file its name: by renaming it, or by another link to it. */
interface Naming {
  readonly call: 'rename' | 'link';
  readonly path: string;
  readonly to: string;
}

export type DiskCall = Sync | Naming;

interface TracedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** Runs a program of Node to its end, and returns its calls in order. */
export function diskCallsOf(program: readonly string[], { cwd, env, input }: TracedOptions) {
  const log = `${cwd}/syncs.log`;
  const options = [
    '--follow-forks',
    '--decode-fds=path',
    '--string-limit=4096',
    '--quiet=all',
    '--trace=fsync,fdatasync,syncfs,/^(rename|link)',
    `--output=${log}`,
  ];
  const { status, stderr } = spawnSync('strace', [...options, process.execPath, ...program], {
    cwd,
    input,
    env: { ...cleanEnvironment(), ...env },
    encoding: 'utf8',
  });
  return { status, stderr, calls: callsIn(readFileSync(log, 'utf8')) };
}

/** A test of what the program has the system write to the disk. */
export function itWithStrace(title: string, test: AsyncFunc): void {
  const { status } = spawnSync('strace', ['--quiet=all', '--trace=fsync', 'true']);
  const missing = status === 0 ? undefined : "needs Debian's strace, and the permission to trace processes";
  itNeeding({ name: 'strace', missing }, title, test);
}

const SYNC = /\b(fsync|fdatasync|syncfs)\(\d+<([^>]+)>/;
const NAMING = /\b(rename|link)\w*\((?:AT_FDCWD<[^>]*>, )?"([^"]+)", (?:AT_FDCWD<[^>]*>, )?"([^"]+)"/;

function callsIn(log: string): readonly DiskCall[] {
  return log.split('\n').flatMap((line): readonly DiskCall[] => {
    const [, sync, synced] = SYNC.exec(line) ?? [];
    if (sync !== undefined) return [{ call: sync as Sync['call'], path: synced! }];
    const [, naming, path, to] = NAMING.exec(line) ?? [];
    return naming === undefined ? [] : [{ call: naming as Naming['call'], path: path!, to: to! }];
  });
}
