import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request whose body a test sends in parts. */
export class SlowRequest {
  readonly #request;
  readonly #response: Promise<[IncomingMessage]>;

  constructor(url: string, method: string, headers: Readonly<Record<string, string | number>>) {
    this.#request = request(url, { method, headers, agent: false });
    this.#request.on('error', () => {});
    this.#response = once(this.#request, 'response') as Promise<[IncomingMessage]>;
    this.#response.catch(() => {});
  }

  /** Resolves when the bytes are with the operating system, at the latest. */
  async send(bytes: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#request.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  async end(): Promise<{ readonly status: number | undefined; readonly text: string }> {
    this.#request.end();
    const [response] = await this.#response;
    return { status: response.statusCode, text: await text(response) };
  }

  breakOff(): void {
    this.#request.destroy();
  }
}
