import { storeDigest } from '../../api/store-digest.ts';
import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { parsedJson } from '../../lib/parsed-json.ts';
import { localUrl } from '../ask-server.ts';

/** Milliseconds that a server may take to answer. */
const TIMEOUT_MS = 5_000;

/**
 * Checks that nothing listens on a port, or only a server of the same store that shares it: servers of different
 * sources would receive each other's requests.
 * @throws TidemarkError `invalid` when another program uses the port; `unavailable` when that program does not answer
 */
export async function requireSharedPort(settings: Pick<Configuration, 'host' | 'port' | 'store'>): Promise<void> {
  const { host, port } = settings;
  const health = await healthAt(localUrl(settings)).catch((error: Error & { cause?: NodeJS.ErrnoException }) => {
    if (error.cause?.code === 'ECONNREFUSED') return undefined;
    const message = `port ${port} of ${host} cannot be shared: what listens there does not answer`;
    throw new TidemarkError('unavailable', message, { host, port }, error);
  });
  if (health === undefined || health.store === storeDigest(settings)) return;
  throw new TidemarkError(
    'invalid',
    `port ${port} of ${host} is taken by another program, or by a server that does not share it with this one: start all servers of a store with ` +
      '--share-port and the same --store, or choose another port with --port NUMBER',
    { host, port },
  );
}

async function healthAt(url: string): Promise<{ readonly store?: unknown }> {
  const response = await fetch(`${url}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  return Object(parsedJson(text));
}
