import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Server } from './tidemark.ts';

/**
 * Asks a server for its health every few milliseconds while something is done. Returns the slowest answer,
 * milliseconds.
 */
export async function slowestHealth({ url }: Server, work: () => Promise<void>): Promise<number> {
  const script = new URL('../probes/health.ts', import.meta.url).pathname;
  const probe = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: probe.stdout });
  await once(lines, 'line');
  try {
    await work();
  } finally {
    probe.kill('SIGTERM');
  }
  const [longest] = await once(lines, 'line');
  return Number(longest);
}
