import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that calls, for others. */
export interface OwnProcess {
  /** Host and process id. */
  readonly name: string;
  /**
   * Equal for processes that can see each other by their ids. Undefined where that is not known: containers of one
   * machine have process ids of their own.
   */
  readonly system: string | undefined;
  readonly pid: number;
}

export function ownProcess(): OwnProcess {
  return { name: `${hostname()}:${process.pid}`, system: ownSystem(), pid: process.pid };
}

/** Whether a process of this system exists. Another process may have its id by now. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The start of the system, and the namespace of process ids. */
function ownSystem(): string | undefined {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${start} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
