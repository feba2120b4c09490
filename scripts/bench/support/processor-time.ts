import { readFileSync } from 'node:fs';

/** Ticks of `utime` and `stime` in a second: Linux reports 100 to programs, whatever it counts with. */
const TICKS = 100;

/** Seconds that a process has used of the processors until now, with all its threads; its children do not count. */
export function processorTime(pid: number): number {
  // `utime` is the 14th field.
  return ticksFrom(pid, 14) / TICKS;
}

/** Seconds that the children of this process had used of the processors when they ended, with their own children. */
export function processorTimeOfEnded(): number {
  // `cutime` is the 16th field.
  return ticksFrom('self', 16) / TICKS;
}

/** A field of a process, and the next one: time of the program, and of the system for it. */
function ticksFrom(pid: number | 'self', field: number): number {
  // The second field is the program's name in parentheses, and may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[field - 3]) + Number(fields[field - 2]);
}
