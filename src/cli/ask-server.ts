import * as z from 'zod';
import { isLoopback } from '../access/loopback.ts';
import { type LiveStatus, liveStatusSchema } from '../api/live-status.ts';
import { storeFileDigest } from '../api/store-digest.ts';
import type { Configuration } from '../config/configuration.ts';

/** Milliseconds after which a server counts as not answering. */
const ANSWER_TIMEOUT_MS = 2_000;
const EVERY_ADDRESS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The server of a source, if one was found. */
export type FoundServer =
  | { readonly state: 'running'; readonly url: string; readonly status: LiveStatus }
  /** The server runs, but does not show its figures to this caller. */
  | { readonly state: 'refuses'; readonly url: string }
  /** The server is of another version, and its figures cannot be read. */
  | { readonly state: 'unreadable'; readonly url: string; readonly version: string }
  | { readonly state: 'none' };

const STATES = ['running', 'unreadable', 'refuses', 'none'] as const satisfies readonly FoundServer['state'][];

/** What a server of any version says of itself. */
const aboutSchema = z.object({ baseUrl: z.string(), version: z.string(), storeFile: z.string().optional() });

type Settings = Pick<Configuration, 'host' | 'port' | 'ownPort' | 'token' | 'store'>;

/**
 * Finds a running server of the source, at its own port, its base URL or the address of the settings, and asks for its
 * figures.
 */
export async function askServer(settings: Settings, baseUrl: string | undefined): Promise<FoundServer> {
  if (baseUrl === undefined) return { state: 'none' };
  const places = new Set([...ownUrl(settings), baseUrl, localUrl(settings)]);
  const found = await Promise.all([...places].map((url) => askAt(url, settings, baseUrl)));
  return found.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state))[0]!;
}

async function askAt(url: string, settings: Settings, baseUrl: string): Promise<FoundServer> {
  const { token } = settings;
  try {
    const response = await fetch(`${url}/api/status`, {
      headers: token === undefined || !mayCarryToken(url) ? {} : { Authorization: `Bearer ${token.reveal()}` },
      // Redirects are not followed: the token must be sent only to the given URL.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (response.status === 401 || response.status === 403) return { state: 'refuses', url };
    const body: unknown = await response.json();
    const { storeFile, version, ...about } = aboutSchema.parse(body);
    // The server of another source may use the port that this one used, or has by default.
    const isSameStore = storeFile === undefined || storeFile === (await storeFileDigest(settings));
    if (!isSameStore || about.baseUrl !== baseUrl) return { state: 'none' };
    const { data: status } = liveStatusSchema.safeParse(body);
    return status === undefined ? { state: 'unreadable', url, version } : { state: 'running', url, status };
  } catch {
    // No server listens, or another program does.
    return { state: 'none' };
  }
}

/** Whether no other program can read the token in transit. */
export function mayCarryToken(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

function ownUrl({ host, ownPort }: Settings): readonly string[] {
  return ownPort === undefined ? [] : [localUrl({ host, port: ownPort })];
}

/** The URL of a server with these settings, from its own machine. */
export function localUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const address = EVERY_ADDRESS.get(host) ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
