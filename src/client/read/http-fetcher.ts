import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { VERSION } from '../../config/version.ts';
import { clientModule } from '../../lib/http/client-module.ts';
import { codingsIn } from '../../lib/http/content-codings.ts';
import { type GuardedAgents, guardedAgents } from '../../lib/http/guarded-agents.ts';
import {
  type Fetched,
  type Fetcher,
  FetchFailure,
  NoAnswer,
  PrivateHost,
  type RecordedHop,
  RedirectLoop,
  Refused,
  RefusedRedirect,
  type RequestHeaders,
  TookTooLong,
} from './fetcher.ts';
import type { ReadLimits } from './limits.ts';
import { recordedHop } from './recorded-hop.ts';
import { bodyOf, CUT_OFF, end, failureOf } from './response-body.ts';

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface HttpFetcherOptions extends Pick<ReadLimits, 'idleMs' | 'responseMs'> {
  /** As `guardedAgents` takes them. */
  readonly privateNetworks: readonly string[] | 'all';
  /** The end of a message about a private network: how to permit it. */
  readonly networkAdvice?: string;
  /** Concurrent connections to each host; the default is 4. */
  readonly connections?: number;
  /** Appended to the header `User-Agent`, such as an address. */
  readonly contact?: string | undefined;
  /** Whether a URL is requested in any network. @param from the URL that redirects to it */
  isTrusted?(url: URL, from: URL | undefined): boolean;
  /**
   * Returns additional headers of a request, such as `authorization`.
   * @param isFromElsewhere whether a redirect of another host has led to the URL
   */
  headersFor?(url: URL, isFromElsewhere: boolean): RequestHeaders;
  /** Called before a redirect is followed. @throws FetchFailure */
  beforeRedirect?(to: URL, signal: AbortSignal): Promise<void>;
  /** Returns why a redirect is refused; undefined when it may be followed. */
  redirectProblem?(from: URL, to: URL): string | undefined;
  /** Redirects that are followed; the default is 5. */
  readonly mostRedirects?: number;
  /** Whether `Fetched.hops` has each request and response. Then a URL that comes twice is a loop. */
  readonly recordsHops?: boolean;
  /** Resolves names of hosts; the default is `dns.lookup`. Its addresses are checked, too. */
  readonly lookup?: LookupFunction | undefined;
}

/** A response whose body is still to come. */
interface Responded {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  readonly deadline: NodeJS.Timeout;
}

/** Sends requests with `node:http` and keep-alive connections. */
export class HttpFetcher implements Fetcher {
  readonly #options: HttpFetcherOptions;
  readonly #agents: GuardedAgents;
  readonly #trustedAgents: GuardedAgents;

  constructor(options: HttpFetcherOptions) {
    this.#options = options;
    const { connections = 4, lookup } = options;
    const ofAgents = { keepAlive: true, maxSockets: connections, ...(lookup !== undefined && { lookup }) };
    this.#agents = guardedAgents(options.privateNetworks, ofAgents);
    this.#trustedAgents = guardedAgents('all', ofAgents);
  }

  async get(
    uri: string,
    encoding: 'gzip' | 'identity',
    signal: AbortSignal,
    headers: RequestHeaders = {},
  ): Promise<Fetched> {
    // A resource may be in any format, as its list describes it; documents are requested as XML.
    const accept = encoding === 'identity' ? '*/*' : 'application/xml, */*;q=0.5';
    const sent = { accept, ...headers, 'accept-encoding': encoding };
    const { mostRedirects = MOST_REDIRECTS, recordsHops = false, headersFor } = this.#options;
    const hops: RecordedHop[] = [];
    let at = urlOf(uri);
    let from: URL | undefined;
    let isFromElsewhere = false;
    for (let redirects = 0; ; redirects++) {
      const time = Date.now();
      const own = { ...sent, ...headersFor?.(at, isFromElsewhere) };
      const responded = await this.#request(at, from, { headers: own, signal });
      const { response, deadline } = responded;
      const location = REDIRECTS.has(response.statusCode!) ? response.headers.location : undefined;
      if (recordsHops) hops.push(await recordedHop(at.href, time, { ...responded, readsBody: location !== undefined }));
      if (location === undefined) {
        const fetched = this.#fetched(from === undefined ? uri : at.href, response, deadline);
        return recordsHops ? { ...fetched, hops } : fetched;
      }
      end(response, deadline);
      if (redirects === mostRedirects) throw new RedirectLoop(`it was redirected more than ${mostRedirects} times`);
      from = at;
      at = this.#redirected(from, location);
      if (hops.some(({ url }) => isSameRequest(url, at.href)))
        throw new RedirectLoop('its redirects lead back to themselves');
      isFromElsewhere ||= at.host !== from.host;
      await this.#options.beforeRedirect?.(at, signal);
    }
  }

  /** @throws RefusedRedirect */
  #redirected(from: URL, location: string): URL {
    if (!URL.canParse(location, from))
      throw new RefusedRedirect(`it was redirected to ${location.slice(0, 200)}, which is not a URL`);
    const to = new URL(location, from);
    const problem = this.#options.redirectProblem?.(from, to);
    if (problem !== undefined) throw new RefusedRedirect(problem);
    return urlOf(to.href);
  }

  close(): void {
    for (const { http, https } of [this.#agents, this.#trustedAgents]) {
      http.destroy();
      https.destroy();
    }
  }

  #request(
    url: URL,
    from: URL | undefined,
    { headers, signal }: { readonly headers: RequestHeaders; readonly signal: AbortSignal },
  ) {
    const { idleMs, responseMs, contact, isTrusted } = this.#options;
    const agents = isTrusted?.(url, from) === true ? this.#trustedAgents : this.#agents;
    const isSecure = url.protocol === 'https:';
    return new Promise<Responded>((resolve, reject) => {
      const sent = clientModule(isSecure).request(url, {
        agent: isSecure ? agents.https : agents.http,
        headers: {
          'user-agent': contact === undefined ? `tidemark/${VERSION}` : `tidemark/${VERSION} (${contact})`,
          ...headers,
        },
        timeout: idleMs,
      });
      let response: IncomingMessage | undefined;
      // Destroys the response once there is one: an error of the request would not reach the reader of the body.
      const stop = (message: string, Failure = FetchFailure) => (response ?? sent).destroy(new Failure(message));
      // Not the option `signal`: it takes several times as long, because it observes the streams, too.
      const abort = () => stop('it was stopped');
      signal.addEventListener('abort', abort);
      // Without a response or an error, as when the server switches to another protocol, nothing else would come.
      sent.on('close', () => {
        signal.removeEventListener('abort', abort);
        if (response !== undefined) return;
        clearTimeout(deadline);
        reject(new NoAnswer(CUT_OFF));
      });
      const deadline = setTimeout(() => stop(`it took longer than ${seconds(responseMs)}`, TookTooLong), responseMs);
      if (signal.aborted) abort();
      sent.on('timeout', () => stop(`the server sent nothing for ${seconds(idleMs)}`));
      sent.on('response', (incoming) => {
        response = incoming;
        resolve({ request: sent, response, deadline });
      });
      sent.on('error', (error) => {
        clearTimeout(deadline);
        reject(this.#withoutResponse(failureOf(error, signal), from && url));
      });
      sent.end();
    });
  }

  /**
   * The failure of a request that got no response.
   * @param redirected the URL, when a redirect has led to it
   */
  #withoutResponse(failure: Error, redirected: URL | undefined): Error {
    const message =
      redirected === undefined ? failure.message : `${failure.message} (redirected to ${redirected.host})`;
    if (failure instanceof PrivateHost) return new PrivateHost(message + (this.#options.networkAdvice ?? ''));
    const isUnknown = failure instanceof FetchFailure && !(failure instanceof Refused);
    return isUnknown ? Object.assign(new NoAnswer(message), redirected && { host: redirected.host }) : failure;
  }

  #fetched(uri: string, response: IncomingMessage, deadline: NodeJS.Timeout): Fetched {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
    const codings = codingsIn(headers['content-encoding']);
    if (codings === '') delete headers['content-encoding'];
    else headers['content-encoding'] = codings;
    return {
      status: response.statusCode!,
      headers,
      uri,
      body: bodyOf(response, deadline),
      discard: () => end(response, deadline),
    };
  }
}

function urlOf(uri: string): URL {
  if (!URL.canParse(uri)) throw new Refused('it is not a URL');
  const url = new URL(uri);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Refused(`it has the scheme ${url.protocol}, neither http: nor https:`);
  }
  return url;
}

/** A fragment is not sent. */
const isSameRequest = (one: string, other: string): boolean => one.split('#', 1)[0] === other.split('#', 1)[0];

const seconds = (ms: number) => `${ms / 1000} seconds`;
