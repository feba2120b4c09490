import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: a server that is stopped finds its port again, and no client that
 * keeps asking for it can be given it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** So many ports in a row that were free a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(LOWEST, HIGHEST);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if (await areFree(ports)) return ports;
  }
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
