import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: a server that is stopped finds its port again, and no
 * client that keeps asking for it can be given it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/**
 * Files of tests that run side by side have a part of them each: a process that starts takes its port seconds after it
 * was found free.
 */
const PARTS = 4;
const part = partOf(process.env.MOCHA_WORKER_ID);

/** The last ports that were given to callers, who may not listen on them yet. */
const given = new Set<number>();
const MOST_GIVEN = 500;

/** So many ports in a row that are free, and that were not given to a caller lately. */
export async function findFreePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(part.lowest, part.highest - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if (ports.some((port) => given.has(port))) continue;
    note(ports);
    if (await areFree(ports)) return ports;
  }
}

function note(ports: readonly number[]): void {
  for (const port of ports) given.add(port);
  for (const oldest of given) {
    if (given.size <= MOST_GIVEN) return;
    given.delete(oldest);
  }
}

function partOf(worker: string | undefined): { readonly lowest: number; readonly highest: number } {
  if (worker === undefined) return { lowest: LOWEST, highest: HIGHEST };
  const size = (HIGHEST - LOWEST) / PARTS;
  const lowest = LOWEST + (Number(worker) % PARTS) * size;
  return { lowest, highest: lowest + size };
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  return (await Promise.all(ports.map(isFree))).every(Boolean);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
