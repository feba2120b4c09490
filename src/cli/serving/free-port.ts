import { createServer } from 'node:net';
import { TidemarkError } from '../../core/errors.ts';

/**
 * The port to listen on, which was free when this was called: a port in use is reported before anything is written, and
 * port 0 becomes a real port for base URLs.
 * @throws TidemarkError `invalid` when the address cannot be used
 */
export function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen({ host, port }, error)));
    server.listen({ host, port }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** Whether a port can be listened on. */
export async function isFreePort(host: string, port: number): Promise<boolean> {
  try {
    await freePort(host, port);
    return true;
  } catch {
    return false;
  }
}

/** Describes the fault of an address, with advice. */
function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  error: NodeJS.ErrnoException,
): TidemarkError {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken by another program: choose another with --port NUMBER (0 takes a free one), or stop that program`,
    EACCES: `port ${port} of ${host} needs more rights: choose one from 1024 up with --port NUMBER`,
    EADDRNOTAVAIL: `this machine has no address ${host}: choose another with --host`,
    ENOTFOUND: `there is no host ${host}: choose another with --host`,
  };
  const message = messages[error.code ?? ''] ?? `cannot listen on ${host}, port ${port}: ${error.message}`;
  return new TidemarkError('invalid', message, { host, port }, error);
}
