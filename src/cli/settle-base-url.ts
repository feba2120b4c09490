import type { App } from '../app.ts';
import type { LoadedConfiguration } from '../config/load-configuration.ts';
import { isTidemarkError, TidemarkError } from '../domain/errors.ts';

/**
 * Gives the source its base URL: the one that was set, else the one of last time, else the local one. A source without sets may
 * change it freely; else a change must be confirmed.
 * @param strict whether another port than last time's counts as another base URL: for a command that listens on it
 * @throws TidemarkError `conflict` that says both base URLs and the ways out
 */
export async function settleBaseUrl(
  { sets }: Pick<App, 'sets'>,
  { configuration: { baseUrl }, given }: LoadedConfiguration,
  { strict = false, confirmed = false } = {},
): Promise<string> {
  const kept = await keptBaseUrl({ sets });
  if (kept !== undefined && !given.has('baseUrl') && !(strict && isLocal(kept))) return kept;
  const isFree = (await sets.list()).length === 0;
  try {
    await sets.useBaseUrl(baseUrl, confirmed || isFree);
  } catch (error) {
    if (isTidemarkError(error, 'conflict') && kept !== undefined) throw otherBaseUrl(kept, baseUrl);
    throw error;
  }
  return baseUrl;
}

/** The base URL of last time; undefined for a new source. */
export async function keptBaseUrl({ sets }: Pick<App, 'sets'>): Promise<string | undefined> {
  try {
    return (await sets.source()).baseUrl;
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Whether the base URL is one that was made from a port. */
function isLocal(baseUrl: string): boolean {
  return /^http:\/\/localhost:\d+$/.test(baseUrl);
}

function otherBaseUrl(kept: string, wanted: string): TidemarkError {
  const asBefore = isLocal(kept) ? `--port ${URL.parse(kept)?.port || 80}` : `--base-url ${kept}`;
  return new TidemarkError(
    'conflict',
    `this source was published as ${kept}, and would now be ${wanted}: every URI would change, and its history begin anew (a new epoch; ` +
      `who follows it starts over).\nStart it as before with ${asBefore}, or go on with --confirm-move`,
    { baseUrl: wanted, before: kept },
  );
}
