import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { VERSION } from '../../config/version.ts';
import { describeHttpFailure, guardedAgents } from '../../lib/guarded-http.ts';
import type { ReadLimits } from '../limits.ts';
import { type Fetched, type Fetcher, FetchFailure } from './fetcher.ts';

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface HttpFetcherOptions extends Pick<ReadLimits, 'idleMs' | 'responseMs'> {
  /** As guardedAgents takes them. */
  readonly privateNetworks: readonly string[] | 'all';
}

/** Requests by `node:http`, with connections that are kept. */
export class HttpFetcher implements Fetcher {
  readonly #options: HttpFetcherOptions;
  readonly #agents;

  constructor(options: HttpFetcherOptions) {
    this.#options = options;
    this.#agents = guardedAgents(options.privateNetworks, { keepAlive: true, maxSockets: 4 });
  }

  async get(uri: string, encoding: 'gzip' | 'identity', signal: AbortSignal): Promise<Fetched> {
    let at = uri;
    for (let redirects = 0; ; redirects++) {
      const { response, deadline } = await this.#request(at, encoding, signal);
      const status = response.statusCode!;
      const location = response.headers.location;
      if (!REDIRECTS.has(status) || location === undefined) return this.#fetched(at, response, deadline);
      end(response, deadline);
      if (redirects === MOST_REDIRECTS) throw new FetchFailure(`it was redirected more than ${MOST_REDIRECTS} times`);
      if (!URL.canParse(location, at))
        throw new FetchFailure(`it was redirected to ${location.slice(0, 200)}, which is no URL`);
      at = new URL(location, at).href;
    }
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #request(uri: string, encoding: string, signal: AbortSignal) {
    const url = urlOf(uri);
    const { idleMs, responseMs } = this.#options;
    const isSecure = url.protocol === 'https:';
    return new Promise<{ response: IncomingMessage; deadline: NodeJS.Timeout }>((resolve, reject) => {
      const sent = (isSecure ? requestHttps : requestHttp)(url, {
        agent: isSecure ? this.#agents.https : this.#agents.http,
        headers: {
          accept: 'application/xml, */*;q=0.5',
          'accept-encoding': encoding,
          'user-agent': `tidemark/${VERSION}`,
        },
        signal,
        timeout: idleMs,
      });
      let response: IncomingMessage | undefined;
      // Once there is a response, an error of the request is not that of its body.
      const stop = (message: string) => (response ?? sent).destroy(new FetchFailure(message));
      const deadline = setTimeout(() => stop(`it took longer than ${seconds(responseMs)}`), responseMs);
      sent.on('timeout', () => stop(`the server sent nothing for ${seconds(idleMs)}`));
      sent.on('response', (incoming) => {
        response = incoming;
        resolve({ response, deadline });
      });
      sent.on('error', (error) => {
        clearTimeout(deadline);
        reject(failureOf(error, signal));
      });
      sent.end();
    });
  }

  #fetched(uri: string, response: IncomingMessage, deadline: NodeJS.Timeout): Fetched {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
    return {
      ...{ status: response.statusCode!, headers, uri },
      body: chunksOf(response, deadline),
      discard: () => end(response, deadline),
    };
  }
}

async function* chunksOf(response: IncomingMessage, deadline: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (error) {
    throw failureOf(error as Error);
  } finally {
    end(response, deadline);
  }
}

/** A response that was not read to its end takes its connection with it. */
function end(response: IncomingMessage, deadline: NodeJS.Timeout): void {
  clearTimeout(deadline);
  if (!response.complete || !response.readableEnded) response.destroy();
}

function urlOf(uri: string): URL {
  if (!URL.canParse(uri)) throw new FetchFailure('it is no URL');
  const url = new URL(uri);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchFailure(`it has the scheme ${url.protocol}, neither http: nor https:`);
  }
  return url;
}

const seconds = (ms: number) => `${ms / 1000} seconds`;

function failureOf(error: NodeJS.ErrnoException, signal?: AbortSignal): Error {
  if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : error;
  if (error instanceof FetchFailure) return error;
  return new FetchFailure(describeHttpFailure(error));
}
