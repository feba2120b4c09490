import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** How many connections were cut. */
  cuts(): number;
  close(): Promise<void>;
}

interface Cuts {
  /** Bytes that a connection has sent. */
  readonly after: number;
  /** How many connections are cut. */
  readonly times: number;
  /** Called when the first connection has sent so many, before more is read. */
  readonly onReached?: () => void;
}

/** Is between a client and a server, and cuts connections that have sent so many bytes, as often as it may. */
export async function startCuttingProxy(port: number, { after, times, onReached }: Cuts): Promise<CuttingProxy> {
  let cuts = 0;
  let isReached = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    let sent = 0;
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      sent += chunk.length;
      if (sent <= after) return;
      if (!isReached) onReached?.();
      isReached = true;
      if (cuts >= times) return;
      cuts += 1;
      client.resetAndDestroy();
      // What came before arrives.
      target.end();
    });
    client.pipe(target);
    target.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
