import { processorTime } from './processor-time.ts';
import { walkPaths } from './walk-paths.ts';

export interface WalkedServer {
  readonly url: string;
  readonly pid: number;
}

export interface Walked {
  /** Requests a second. */
  readonly rate: number;
  /** Microseconds of the server's processor time for a request, which other work on the machine hardly changes. */
  readonly micros: number;
}

/** Requests each path once, and measures both what a client and what the machine notice. */
export async function walked(
  { url, pid }: WalkedServer,
  paths: readonly string[],
  connections: number,
): Promise<Walked> {
  const before = processorTime(pid);
  const rate = await walkPaths(url, paths, connections);
  return { rate, micros: ((processorTime(pid) - before) / paths.length) * 1_000_000 };
}
