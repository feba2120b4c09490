import type { App } from '../../app.ts';
import type { LoadedConfiguration } from '../../config/load-configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { keptPort } from '../settle-base-url.ts';
import { freePort, isFreePort } from './free-port.ts';
import { requireSharedPort } from './shared-port.ts';

/**
 * The port to listen on: the given one, or else the previous one, so that known URLs stay valid. Port 0 also means the
 * previous port, if it is free.
 * @throws TidemarkError `invalid` when the port cannot be used
 */
export async function choosePort(app: App, { configuration, given }: LoadedConfiguration): Promise<number> {
  const { host, sharePort } = configuration;
  const kept = given.has('baseUrl') ? undefined : await keptPort(app);
  if (!given.has('port')) {
    const wanted = given.has('baseUrl') ? configuration.port : (kept ?? configuration.port);
    return usablePort({ ...configuration, port: wanted }, wanted === kept);
  }
  if (configuration.port !== 0) return usablePort(configuration, configuration.port === kept);
  return !sharePort && kept !== undefined && (await isFreePort(host, kept)) ? kept : freePort(host, 0);
}

async function usablePort(configuration: LoadedConfiguration['configuration'], isKept: boolean): Promise<number> {
  const { host, port, sharePort } = configuration;
  if (sharePort && port !== 0) {
    await requireSharedPort(configuration);
    return port;
  }
  try {
    return await freePort(host, port);
  } catch (error) {
    if (isKept && error instanceof TidemarkError) throw takenMeanwhile(error, { host, port });
    throw error;
  }
}

function takenMeanwhile({ message, cause }: TidemarkError, at: { host: string; port: number }): TidemarkError {
  const because =
    'It is the port of last time: perhaps this source is served already. All URIs begin with it; with another port they all change, which --confirm-move confirms';
  return new TidemarkError('invalid', `${message}. ${because}`, at, cause);
}
