import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A client with one connection that is kept. */
export class HttpClient {
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(base: string) {
    this.#base = base;
  }

  /** Resolves with the last byte. @throws Error for an answer that is neither 2xx nor 304 */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    for (;;) {
      const answer = await this.#ask('GET', path, { headers });
      if (answer.status !== 503) return answer;
      await wait(Number(answer.headers['retry-after'] ?? 1) * 100);
    }
  }

  /** A document's text, fetched as gzip. */
  async text(path: string): Promise<string> {
    return textOf(await this.get(path, { 'Accept-Encoding': 'gzip' }));
  }

  post(path: string, body: string): Promise<Answer> {
    return this.#ask('POST', path, { headers: { 'Content-Type': 'application/json' }, body });
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(
    method: string,
    path: string,
    { headers, body }: { headers: Readonly<Record<string, string>>; body?: string },
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(this.#base + path, { method, headers, agent: this.#agent }, (response) => {
        buffer(response).then((bytes) => {
          const { statusCode: status = 0, headers } = response;
          if (status < 400 || status === 503) resolve({ status, headers, body: bytes });
          else reject(new Error(`${method} ${path} was answered with ${status}: ${bytes.subarray(0, 500)}`));
        }, reject);
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

export function textOf({ headers, body }: Answer): string {
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
}
