import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Keeps connections, for tests that ask thousands of times. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * Asks by node:http, which adds nothing: fetch sends `cache-control: no-cache` with a condition, normalizes paths and
 * unpacks bodies. The connection is not kept, unless an agent keeps it.
 */
export async function ask(url: string, { method = 'GET', headers = {}, body, agent }: Question = {}): Promise<Answer> {
  const { origin } = new URL(url);
  const options = { method, headers, path: url.slice(origin.length) || '/', agent: agent ?? (false as const) };
  const asking = request(origin, options);
  asking.end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString('utf8') };
}

/** Asks for JSON, or posts a value as JSON. */
export async function askJson(url: string, value?: unknown, headers: Record<string, string> = {}) {
  const posted = { method: 'POST', body: JSON.stringify(value), headers: { ...JSON_BODY, ...headers } };
  const { status, text, headers: answered } = await ask(url, value === undefined ? { headers } : posted);
  return { status, headers: answered, body: JSON.parse(text) };
}

export const JSON_BODY = { 'Content-Type': 'application/json' };
export const NDJSON_BODY = { 'Content-Type': 'application/x-ndjson' };
