import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Sends bytes as they are over a connection of its own, and returns all that comes until the other side closes. */
export async function sendRaw(url: string, text: string | Buffer): Promise<Buffer> {
  const socket = await openSocket(url);
  socket.write(text);
  return buffer(socket);
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The other side may cut it at any time.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** The head of a request, on a connection that ends with the answer unless the headers say otherwise. */
export function headOf(request: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: '127.0.0.1', Connection: 'close', ...headers });
  return `${request} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

export function statusOf(answer: Buffer): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1'))?.[1] ?? 0);
}
