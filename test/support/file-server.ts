import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createSocketServer } from 'node:net';

export interface FileServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly requests: string[];
  /** Also ends connections that hang. */
  close(): Promise<void>;
}

/** A server on 127.0.0.1 with files to be fetched. */
export async function startFileServer(listener: RequestListener): Promise<FileServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url!);
    // A client may break off.
    response.on('error', () => {});
    void listener(request, response);
  });
  await listen(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server that answers each connection as a function does, byte by byte. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<FileServer> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
