import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Fetched, FetchFailure, type RequestHeaders } from '../../../client/read/fetcher.ts';
import { PoliteFetcher } from '../../../client/read/polite-fetcher.ts';
import { limited } from '../../../client/read/unpacked.ts';
import { VERSION } from '../../../config/version.ts';
import { clientModule } from '../../../lib/http/client-module.ts';
import { describeHttpFailure } from '../../../lib/http/failure.ts';
import { responseTo } from '../../../lib/http/response-to.ts';
import { parsedJson } from '../../../lib/parsed-json.ts';
import { IngestFailure } from '../../ingest-failure.ts';
import { type ArchiveKeys, withoutKeys } from './archive-keys.ts';
import { MayPass } from './attempts.ts';

const MOST_TEXT_BYTES = 16 * 1024 * 1024;
const IDLE_MS = 60_000;
/** An IAS3 answers a large file after it has stored it. */
const ANSWER_MS = 10 * 60_000;
const LONGEST_RESPONSE_MS = 60 * 60_000;
const REQUESTS_PER_SECOND = 20;

interface ServiceOptions {
  /** As messages name it: `Save Page Now`. */
  readonly name: string;
  /** The setting that has its URL: `--dataset-web`. */
  readonly setting: string;
  /** The operator has named it, so it may be in a private network. */
  readonly url: string;
  /** For the header User-Agent. */
  readonly contact?: string | undefined;
  /** GET requests a second. */
  readonly rate?: number | undefined;
}

/** A service that the operator has named. Requests with keys are not redirected; others only to the same host. */
export interface Service extends Pick<ServiceOptions, 'name' | 'setting' | 'url'> {
  /**
   * Sends GET, several times when the service is overloaded.
   * @param path appended to the URL of the service; it may contain another URL
   * @param headers when there are some, such as keys, no redirect is followed
   * @throws IngestFailure `error-backend`
   */
  get(path: string, signal: AbortSignal, headers?: RequestHeaders): Promise<Fetched>;
  /** As `get`; undefined when the answer is no JSON. @throws IngestFailure `error-backend` */
  json(path: string, signal: AbortSignal, headers?: RequestHeaders): Promise<ServiceAnswer>;
  /** Sends a request once. @throws MayPass without an answer */
  send(path: string, request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  close(): void;
}

interface ServiceRequest {
  readonly method: 'POST' | 'PUT';
  readonly headers: RequestHeaders;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Undefined when it is no JSON. */
  readonly json?: unknown;
}

export function openService(options: ServiceOptions): Service {
  const { name, setting, contact, rate = REQUESTS_PER_SECOND } = options;
  const url = options.url.endsWith('/') ? options.url : `${options.url}/`;
  const fetcherOf = (isRedirected: boolean) =>
    new PoliteFetcher({ ...limits, rate, contact, hosts: hostsOf(options, isRedirected) });
  const withKeys = fetcherOf(false);
  const plain = fetcherOf(true);
  const get: Service['get'] = async (path, signal, headers) => {
    const fetcher = headers === undefined ? plain : withKeys;
    try {
      return await fetcher.get(url + path, 'identity', signal, headers);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof FetchFailure ? unanswered(options, error) : error;
    }
  };
  return {
    name,
    setting,
    url,
    get,
    async json(path, signal, headers) {
      const fetched = await get(path, signal, headers);
      try {
        const body = await text(limited(fetched.body, MOST_TEXT_BYTES));
        return answerOf(fetched.status, fetched.headers, body);
      } catch (error) {
        signal.throwIfAborted();
        fetched.discard();
        throw unanswered(options, error as Error);
      }
    },
    async send(path, request, signal) {
      try {
        return await sendOnce(new URL(url + path), request, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw new MayPass(unanswered(options, error as Error));
      }
    },
    close() {
      withKeys.close();
      plain.close();
    },
  };
}

const limits = {
  idleMs: IDLE_MS,
  responseMs: LONGEST_RESPONSE_MS,
  attempts: 3,
  retriesUnanswered: true,
} as const;

function hostsOf({ setting, url }: ServiceOptions, isRedirected: boolean) {
  const { host } = new URL(url);
  return {
    isNamed: (to: URL) => to.host === host,
    redirectProblem: (from: URL, to: URL) =>
      isRedirected && to.host === from.host && to.protocol === from.protocol
        ? undefined
        : `it redirects to ${to.host}, which is not followed: set ${setting} to the address that answers`,
    privateAdvice: () => `set ${setting} to its address`,
  };
}

/** What a service did not do. */
export function serviceFailure({ name, setting, url }: Pick<Service, 'name' | 'setting' | 'url'>, problem: string) {
  return new IngestFailure('error-backend', `${name} (${setting}, ${new URL(url).host}) ${problem}`);
}

function unanswered(options: ServiceOptions, error: Error): IngestFailure {
  return serviceFailure(options, `does not answer: ${error.message}: try again later, or correct ${options.setting}`);
}

async function sendOnce(url: URL, request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
  const { method, headers, body } = request;
  const sent = clientModule(url.protocol === 'https:').request(url, {
    method,
    headers: { 'user-agent': `tidemark/${VERSION}`, ...headers },
    timeout: ANSWER_MS,
    signal,
  } satisfies RequestOptions);
  sent.on('timeout', () => sent.destroy(new Error(`it sent nothing for ${ANSWER_MS / 1000} seconds`)));
  const answering = responseTo(sent);
  const source = Readable.from(body);
  source.on('error', (error) => sent.destroy(error));
  source.pipe(sent);
  try {
    // It may answer before it has read the body: with 503, for example.
    const response = await answering;
    return answerOf(response.statusCode!, response.headers, await shortText(response));
  } catch (error) {
    throw new Error(describeHttpFailure(error as NodeJS.ErrnoException), { cause: error });
  } finally {
    source.destroy();
    sent.destroy();
  }
}

const shortText = (response: IncomingMessage) => text(limited(response, MOST_TEXT_BYTES));

function answerOf(status: number, headers: ServiceAnswer['headers'], body: string): ServiceAnswer {
  return { status, headers, text: body, json: parsedJson(body) };
}

/** The first words of an answer, for a message: without keys, which some services repeat. */
export function wordsOf({ status, text: body }: ServiceAnswer, keys?: ArchiveKeys): string {
  const words = withoutKeys(body, keys)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' ? `answers ${status}` : `answers ${status}: ${words.slice(0, 200)}`;
}
