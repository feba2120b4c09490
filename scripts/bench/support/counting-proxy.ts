import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingProxy {
  readonly url: string;
  /** Requests so far. */
  count(): number;
  close(): void;
}

/** Hands requests on, and counts them. */
export async function countRequests(target: string): Promise<CountingProxy> {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    count += 1;
    const { method, url, headers } = incoming;
    const onwards = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count, close };
}
