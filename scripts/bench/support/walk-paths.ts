import { connect } from 'node:net';
import { secondsSince } from './spread.ts';

const HEAD_END = '\r\n\r\n';

/**
 * Requests each path once over kept connections, and returns requests per second.
 * @throws Error for a status other than 200
 */
export async function walkPaths(url: string, paths: readonly string[], connections: number): Promise<number> {
  const { hostname, port, host } = new URL(url);
  const remaining = paths[Symbol.iterator]();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () => walkOne({ host: hostname, port: Number(port) }, host, remaining)),
  );
  return paths.length / secondsSince(start);
}

/** One connection: sends the next request when the response to the one before is complete. */
function walkOne(
  to: { readonly host: string; readonly port: number },
  host: string,
  remaining: Iterator<string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, noDelay: true });
    let received = '';
    /** Bytes of the response that are still to come; undefined before its head is complete. */
    let missing: number | undefined;
    const next = () => {
      const { value: path, done } = remaining.next();
      if (done) socket.end(resolve);
      else socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'latin1');
    };
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (missing === undefined) {
        received += chunk.toString('latin1');
        const end = received.indexOf(HEAD_END);
        if (end < 0) return;
        if (!received.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(received.slice(0, end)));
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
        missing = length - (received.length - end - HEAD_END.length);
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = undefined;
      received = '';
      next();
    });
  });
}
