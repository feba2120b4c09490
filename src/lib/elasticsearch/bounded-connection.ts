import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type {
  ConnectionRequestOptions,
  ConnectionRequestOptionsAsStream,
  ConnectionRequestParams,
  ConnectionRequestResponse,
  ConnectionRequestResponseAsStream,
} from '@elastic/elasticsearch';
import { errors, UndiciConnection } from './client.ts';

/** Milliseconds after which a node that has not answered a request is probed, again and again. */
const PROBE_AFTER_MS = 2_000;
/** Milliseconds in which a node that works answers a request that needs nothing but the node itself. */
const PROBE_TIMEOUT_MS = 3_000;

/** A response with a status from 300 to 399: its body is not a result, and the redirect is not followed. */
export class RedirectError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The answer is a redirect (${status})`);
    this.status = status;
  }
}

/**
 * A connection that reads responses of at most `maxResponseSize` bytes. The limits of the client do not suffice: it
 * decompresses a response whatever its size, and when it aborts a response, it leaves an error without a handler,
 * which ends the process.
 *
 * The URL of the node may have a path, as a proxy may need it: all requests go below it.
 *
 * A node that hangs, or is behind a network that drops packets, keeps its connections. While a request has no answer,
 * the node is probed, and when it does not answer that either, the request fails as if the connection were closed: so
 * it is sent to another node.
 */
export class BoundedConnection extends UndiciConnection {
  /** The path of the URL, without a slash at its end. */
  readonly #base: string;
  #probe: Promise<boolean> | undefined;

  constructor(options: ConstructorParameters<typeof UndiciConnection>[0]) {
    const { url } = options;
    // undici refuses a URL with a path. Two nodes may differ only in their paths, so the id is the whole URL.
    super({ ...options, url: new URL(url.origin), id: options.id ?? url.href });
    this.url = url;
    this.#base = url.pathname.replace(/\/+$/, '');
  }

  override request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptions,
  ): Promise<ConnectionRequestResponse>;
  override request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptionsAsStream,
  ): Promise<ConnectionRequestResponseAsStream>;
  override async request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptions,
  ): Promise<ConnectionRequestResponse | ConnectionRequestResponseAsStream> {
    const dead = new AbortController();
    const probing = setInterval(async () => {
      if (!(await this.#isAlive())) dead.abort();
    }, PROBE_AFTER_MS);
    try {
      const signal = AbortSignal.any([dead.signal, ...(options.signal === undefined ? [] : [options.signal])]);
      return await this.#request(params, { ...options, signal });
    } catch (error) {
      if (!dead.signal.aborted) throw error;
      throw new errors.ConnectionError('it does not answer a HEAD request within 3 seconds');
    } finally {
      clearInterval(probing);
    }
  }

  async #request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptions,
  ): Promise<ConnectionRequestResponse> {
    const path = this.#base + params.path;
    const { statusCode, headers, body } = await super.request({ ...params, path }, { ...options, asStream: true });
    // Destroying an unread body emits an error on its stream.
    body.on('error', () => {});
    if (statusCode >= 300 && statusCode < 400) {
      body.destroy();
      throw new RedirectError(statusCode);
    }
    if (headers['content-encoding'] !== undefined) {
      body.destroy();
      throw new errors.RequestAbortedError('The answer is compressed, though no request asked for that');
    }
    return { statusCode, headers, body: await readAll(body, options.maxResponseSize ?? Number.POSITIVE_INFINITY) };
  }

  /** Any answer will do: a user may lack the privilege to read that path. */
  #isAlive(): Promise<boolean> {
    this.#probe ??= this.#answersProbe().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async #answersProbe(): Promise<boolean> {
    const began = performance.now();
    const path = `${this.#base}/`;
    const options = { timeout: PROBE_TIMEOUT_MS, requestId: 'probe', name: 'probe', context: null };
    try {
      const { body } = await super.request({ method: 'HEAD', path }, { ...options, asStream: true });
      body.on('error', () => {}).resume();
      return true;
    } catch {
      // This process may have been paused, or busy, for longer than that.
      return performance.now() - began > 2 * PROBE_TIMEOUT_MS;
    }
  }
}

/**
 * Decodes a body as it arrives. One buffer for the whole body would be garbage outside of the heap, which makes
 * collections more frequent: a response of 3 MB would cost 20 % more.
 * @throws RequestAbortedError when the body has more bytes than `most`; ConnectionError when it ends early
 */
export async function readAll(body: Readable, most: number): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) break;
      text += decoder.write(chunk);
    }
  } catch (error) {
    throw new errors.ConnectionError((error as Error).message);
  }
  if (bytes > most) throw new errors.RequestAbortedError(`The answer has more than ${most} bytes`);
  return text + decoder.end();
}
