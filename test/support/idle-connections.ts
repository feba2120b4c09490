// Many connections in a process of its own, which has its own limit of open files. Prints how many are open, and how
// many were, when it reads a line.
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface IdleOptions {
  readonly url: string;
  readonly connections: number;
  /** What each sends when it is open; the answer is ignored. */
  readonly text: string;
}

const { url, connections, text } = JSON.parse(process.argv[2]!) as IdleOptions;
const { hostname, port } = new URL(url);
/** More than wait at a server's door would be refused. */
const AT_ONCE = 200;

const sockets = new Set<Socket>();
let connected = 0;
for (let opened = 0; opened < connections; opened += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, connections - opened) }, open));
}
report();
for await (const _line of createInterface({ input: process.stdin })) report();
for (const socket of sockets) socket.destroy();

function report(): void {
  console.log(JSON.stringify({ open: sockets.size, connected }));
}

function open(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => resolve());
    socket.on('close', () => {
      sockets.delete(socket);
      resolve();
    });
    socket.on('connect', () => {
      sockets.add(socket);
      connected += 1;
      socket.resume();
      if (text === '') resolve();
      else {
        socket.write(text);
        socket.once('data', () => resolve());
      }
    });
  });
}
