import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

// Runs a command line in the process that listens on a socket: command-client.ts SOCKET ARGUMENT...
// It starts in a tenth of the time of the program. Standard input is read only when the command reads it.
const [socketPath, ...args] = process.argv.slice(2);
const socket = connect(socketPath!);
const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
send({ args, cwd: process.cwd(), env: process.env });
for await (const line of createInterface({ input: socket })) {
  const { stdout, stderr, reads, exitCode } = JSON.parse(line);
  if (stdout !== undefined) await write(process.stdout, stdout);
  if (stderr !== undefined) await write(process.stderr, stderr);
  if (reads) void sendInput();
  if (exitCode !== undefined) process.exit(exitCode ?? 1);
}
process.exit(1);

async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (!stream.write(Buffer.from(text, 'base64'))) await once(stream, 'drain');
}

async function sendInput(): Promise<void> {
  for await (const chunk of process.stdin) send({ input: chunk.toString('base64') });
  send({ ends: true });
}
