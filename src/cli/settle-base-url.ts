import type { App } from '../app.ts';
import type { LoadedConfiguration } from '../config/load-configuration.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { SourceSettings } from '../sets/set-registry.ts';

/**
 * Gives the source its base URL: the one that was set, else the one of last time, else the local one. A source without sets may
 * change it freely, and so may one that was never served; else a change must be confirmed.
 * @param serves the command serves with it, on its port: another port than last time's is another base URL
 * @throws TidemarkError `conflict` that says both base URLs and the ways out, or which URIs would be too long
 */
export async function settleBaseUrl(
  { sets }: Pick<App, 'sets'>,
  { configuration: { baseUrl }, given }: LoadedConfiguration,
  { serves = false, confirmed = false } = {},
): Promise<string> {
  const kept = await keptSource({ sets });
  if (kept !== undefined && !given.has('baseUrl') && !(serves && isLocal(kept.baseUrl))) return kept.baseUrl;
  const mayChange = confirmed || kept?.served === false || (await sets.list()).length === 0;
  try {
    await sets.useBaseUrl(baseUrl, mayChange);
  } catch (error) {
    if (!mayChange && isTidemarkError(error, 'conflict') && kept !== undefined)
      throw otherBaseUrl(kept.baseUrl, baseUrl);
    throw error;
  }
  return baseUrl;
}

/** The base URL of last time; undefined for a new source. */
export async function keptBaseUrl({ sets }: Pick<App, 'sets'>): Promise<string | undefined> {
  return (await keptSource({ sets }))?.baseUrl;
}

/** The port of last time; undefined when the base URL was not made from one. */
export async function keptPort({ sets }: Pick<App, 'sets'>): Promise<number | undefined> {
  const kept = await keptBaseUrl({ sets });
  return kept !== undefined && isLocal(kept) ? portOf(kept) : undefined;
}

async function keptSource({ sets }: Pick<App, 'sets'>): Promise<SourceSettings | undefined> {
  try {
    return await sets.source();
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Whether the base URL is one that was made from a port. */
function isLocal(baseUrl: string): boolean {
  return /^http:\/\/localhost:\d+$/.test(baseUrl);
}

function portOf(baseUrl: string): number {
  return Number(URL.parse(baseUrl)?.port || 80);
}

function otherBaseUrl(kept: string, wanted: string): TidemarkError {
  const asBefore = isLocal(kept) ? `--port ${portOf(kept)}` : `--base-url ${kept}`;
  return new TidemarkError(
    'conflict',
    `this source was published as ${kept}, and would now be ${wanted}: every URI would change, and its history begin anew (a new epoch; ` +
      `who follows it starts over).\nStart it as before with ${asBefore}, or go on with --confirm-move`,
    { baseUrl: wanted, before: kept },
  );
}
