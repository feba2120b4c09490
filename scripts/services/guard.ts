import { type ChildProcess, spawn } from 'node:child_process';

/** Kills the group of processes when this process ends, however it ends: the pipe is closed with it. */
export function guard(group: number): ChildProcess {
  return spawn('sh', ['-c', 'read -r _; kill -KILL "-$0"', String(group)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
