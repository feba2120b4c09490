import type { ClientRequest, IncomingMessage } from 'node:http';
import { VERSION } from '../../config/version.ts';
import { clientModule } from '../../lib/http/client-module.ts';
import { describeHttpFailure } from '../../lib/http/failure.ts';
import { type GuardedAgents, guardedAgents } from '../../lib/http/guarded-agents.ts';

/** Bytes of a response that are read. */
const MOST_BYTES = 65_536;
/** Milliseconds for a whole request and its response. */
const LONGEST_MS = 10_000;

interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

export type CallbackAnswer =
  | { readonly status: number; readonly text: string }
  /** A message for users. */
  | { readonly failure: string };

/** Sends requests to addresses that subscribers have given. It follows no redirect, and reads 64 kB of a response. */
export class CallbackClient {
  readonly #privateNetworks: readonly string[] | 'all';
  readonly #longestMs: number;
  #agents: GuardedAgents | undefined;

  /** @param privateNetworks as for guardedAgents */
  constructor(privateNetworks: readonly string[] | 'all', longestMs = LONGEST_MS) {
    this.#privateNetworks = privateNetworks;
    this.#longestMs = longestMs;
  }

  /** Never rejects. */
  async send(url: string, asked: CallbackRequest): Promise<CallbackAnswer> {
    this.#agents ??= this.#openAgents();
    const agents = this.#agents;
    const first = await this.#send(url, asked, agents);
    // The subscriber may have closed a kept connection just when it was used again.
    if ('isStale' in first) return this.#send(url, asked, agents);
    return first;
  }

  async close(): Promise<void> {
    this.#agents?.http.destroy();
    this.#agents?.https.destroy();
  }

  #openAgents(): GuardedAgents {
    // The number of connections to a host is not limited: a subscriber that hangs must not delay others on its host.
    return guardedAgents(this.#privateNetworks, { keepAlive: true, maxFreeSockets: 4, timeout: this.#longestMs });
  }

  #send(
    url: string,
    { method, headers, body, signal }: CallbackRequest,
    agents: GuardedAgents,
  ): Promise<CallbackAnswer & { readonly isStale?: true }> {
    return new Promise((resolve) => {
      const isSecure = /^https:/i.test(url);
      const options = {
        method,
        signal,
        agent: isSecure ? agents.https : agents.http,
        headers: {
          'User-Agent': `tidemark/${VERSION}`,
          ...headers,
          ...(body !== undefined && { 'Content-Length': String(body.length) }),
        },
      };
      let sent: ClientRequest;
      let hasAnswered = false;
      try {
        sent = clientModule(isSecure).request(url, options);
      } catch (error) {
        resolve({ failure: (error as Error).message });
        return;
      }
      const deadline = setTimeout(() => sent.destroy(new Error('it took too long to answer')), this.#longestMs);
      sent.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(deadline);
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        resolve({ failure: describeHttpFailure(error), ...(isStale && { isStale }) });
      });
      // Without a response or an error, as when the server switches to another protocol, nothing else would come.
      sent.on('close', () => {
        if (hasAnswered) return;
        clearTimeout(deadline);
        resolve({ failure: 'the connection was closed without an answer' });
      });
      sent.on('response', (response) => {
        hasAnswered = true;
        readText(response)
          .then((text) => resolve({ status: response.statusCode!, text }))
          .catch((error: Error) => resolve({ failure: error.message }))
          .finally(() => clearTimeout(deadline));
      });
      sent.end(body);
    });
  }
}

/** The beginning of a body; when there is more, the connection is closed. */
async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MOST_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // The status suffices to know the result.
  }
  return Buffer.concat(chunks).toString('utf8');
}
