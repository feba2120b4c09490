import { resolve } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import { readTokenFile } from '../../../lib/http/given-file.ts';
import { askServer, mayCarryToken } from '../../ask-server.ts';
import type { Call } from '../../cli-command.ts';
import { keptBaseUrl } from '../../settle-base-url.ts';
import { withExistingApp } from '../../with-app.ts';

export interface ServerOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

/** The server that receives an upload. */
interface UploadServer {
  /** Ends with a slash. */
  readonly baseUrl: string;
  readonly token: string | undefined;
}

/**
 * The given server, or the one of the local store.
 * @throws TidemarkError `unavailable` when none runs; `invalid`, also for a token that could be read in transit
 */
export async function findServer(call: Call<ServerOptions>): Promise<UploadServer> {
  const server = await serverOf(call);
  const token = await tokenOf(call);
  if (token !== undefined && !mayCarryToken(server)) throw readable(server);
  return { baseUrl: `${server.replace(/\/$/, '')}/`, token };
}

async function serverOf(call: Call<ServerOptions>): Promise<string> {
  const { server } = call.options;
  if (server !== undefined) {
    if (/^https?:$/.test(URL.parse(server)?.protocol ?? '')) return server;
    throw new TidemarkError('invalid', `"${server}" is not a URL of a server: write it as https://sync.example.org`);
  }
  const { configuration } = call.loaded;
  const found = await askServer(configuration, await withExistingApp(call, keptBaseUrl));
  if (found.state !== 'none') return found.url;
  throw new TidemarkError(
    'unavailable',
    'no server of this store runs: start one with "tidemark serve", or name one with --server URL',
  );
}

async function tokenOf({
  options: { tokenFile },
  loaded,
  workingDirectory,
}: Call<ServerOptions>): Promise<string | undefined> {
  return tokenFile === undefined
    ? loaded.configuration.token?.reveal()
    : readTokenFile(resolve(workingDirectory, tokenFile));
}

function readable(server: string): TidemarkError {
  const message = `the token could be read on the way to ${server}: name the server by https`;
  return new TidemarkError('invalid', message);
}
