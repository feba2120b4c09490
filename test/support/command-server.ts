import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { commandHere } from './run-tidemark.ts';

const CLIENT = join(import.meta.dirname, 'command-client.ts');

interface FirstMessage {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface InputMessage {
  /** Base64. */
  readonly input?: string;
  readonly ends?: true;
}

/**
 * Runs command lines of shell scripts in this process, which takes a fifth of the time that a process for each takes.
 * What only a process shows is not tested by these. The end of a client is a signal to stop.
 */
export class CommandServer {
  /** What a shell runs in place of the program; its arguments follow. */
  readonly command: string;
  readonly #server: Server;
  readonly #running = new Set<Promise<void>>();

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.command = `${process.execPath} ${CLIENT} ${path}`;
    server.on('connection', (socket) => {
      const running = serve(socket).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** @param path where its socket will be */
  static async listen(path: string): Promise<CommandServer> {
    const server = createServer().listen(path);
    await once(server, 'listening');
    return new CommandServer(server, path);
  }

  /** Waits for the end of all commands that run. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await once(this.#server.close(), 'close');
    await this.ended();
  }
}

/** One command. */
async function serve(socket: Socket): Promise<void> {
  // A shell may have ended its client.
  socket.on('error', () => {});
  const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  let asked = false;
  const stdin = new Readable({
    read() {
      if (!asked) send({ reads: true });
      asked = true;
    },
  });
  const lines = createInterface({ input: socket });
  const [first] = (await once(lines, 'line')) as [string];
  const { args, cwd, env }: FirstMessage = JSON.parse(first);
  lines.on('line', (line) => {
    const { input, ends }: InputMessage = JSON.parse(line);
    if (input !== undefined) stdin.push(Buffer.from(input, 'base64'));
    if (ends) stdin.push(null);
  });
  const command = commandHere(args, { cwd, env, stdin });
  const { stdout, stderr, exited } = command;
  socket.once('close', () => command.kill());
  stdout.on('data', (chunk: Buffer) => send({ stdout: chunk.toString('base64') }));
  stderr.on('data', (chunk: Buffer) => send({ stderr: chunk.toString('base64') }));
  send({ exitCode: await exited });
  socket.end();
}
