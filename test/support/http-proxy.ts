import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpProxy {
  readonly url: string;
  /** What was answered: method and status, such as `HEAD 200`. */
  readonly answers: string[];
  close(): Promise<void>;
}

interface Watched {
  /** Called when a request has sent so many bytes of its body. */
  onSent?(method: string, bytes: number): unknown;
  /** Called when the server has answered, before the client gets it. */
  onAnswered?(method: string): unknown;
  /** The headers that the client gets in place of those of the server. */
  rewrite?(headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
}

/** Is between a client and a server, and says what passes. */
export async function startHttpProxy(port: number, { onSent, onAnswered, rewrite }: Watched): Promise<HttpProxy> {
  const answers: string[] = [];
  const proxy = createServer((asked, response) => {
    const { method = '', url: path, headers } = asked;
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answers.push(`${method} ${answer.statusCode}`);
      onAnswered?.(method);
      response.writeHead(answer.statusCode!, rewrite?.(answer.headers) ?? answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    let bytes = 0;
    asked.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      onSent?.(method, bytes);
    });
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    answers,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
