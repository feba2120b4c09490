import { readFileSync } from 'node:fs';

/** Ticks of `utime` and `stime` in a second: Linux reports 100 to programs, whatever it counts with. */
const TICKS = 100;

/** Seconds that a process has used of the processors until now, with all its threads; its children do not count. */
export function processorTime(pid: number): number {
  // The second field is the program's name in parentheses, and may hold spaces; `utime` is the 14th field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
