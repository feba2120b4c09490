import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** MB (10^6 bytes) that a process may take under load: it must not grow with the size of a set, a file or a day. */
export const MOST_MEMORY_MB = 600;

/**
 * The most memory that a process and its children ever held, in MB (10^6 bytes): VmHWM of each; threads are in their
 * process.
 */
export function peakMemory(pid: number): number {
  return sumOf(pid, 'VmHWM');
}

/** What they hold now, in MB: VmRSS of each. */
export function memoryNow(pid: number): number {
  return sumOf(pid, 'VmRSS');
}

/** The most memory of a process is counted from now on (proc(5), `clear_refs`). */
export function restartPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function sumOf(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  return withChildren(pid).reduce((sum, id) => sum + bytesOf(id, field), 0) / 1_000_000;
}

function bytesOf(pid: number, field: string): number {
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readProc(pid, 'status')) ?? [];
  return Number(kilobytes) * 1024;
}

function withChildren(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The second field is the program's name in parentheses, and may hold spaces.
    const [, , parent] = readProc(Number(name), 'stat').replace(/^.*\)/s, ')').split(' ');
    parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const one of found) {
    for (const [child, parent] of parents) if (parent === one && !isFork(child, parent)) found.push(child);
  }
  return found;
}

/** Whether a process has not begun its own program yet: until then, its memory is that of its parent. */
const isFork = (pid: number, parent: number): boolean => readProc(pid, 'cmdline') === readProc(parent, 'cmdline');

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
