import { hostname } from 'node:os';

/** Whether a process of this machine has ended. @param worker `HOST:PID` */
export function isDeadHere(worker: string): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(worker) ?? [];
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
