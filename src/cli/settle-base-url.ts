import type { App } from '../app.ts';
import type { LoadedConfiguration } from '../config/load-configuration.ts';
import { isTidemarkError, TidemarkError, unlessNotFound } from '../core/errors.ts';

interface BaseUrlOptions {
  readonly serves?: boolean;
  readonly confirmed?: boolean | undefined;
  onMoved?(before: string): void;
}

/**
 * Sets the base URL of the source: the configured one, or else the previous one, or else the local one. If nothing of
 * the source was recorded, or it was never served, it may change freely; otherwise a change must be confirmed.
 * @param serves whether the command serves at it, on its port: another port than the previous one is another base URL
 * @param onMoved called with the previous base URL when sets with changes have begun new histories
 * @throws TidemarkError `conflict` with both base URLs and the possible solutions, or with the URIs that would be too
 *   long
 */
export async function settleBaseUrl(
  { sets, index }: Pick<App, 'sets' | 'index'>,
  { configuration: { baseUrl }, given }: LoadedConfiguration,
  { serves = false, confirmed = false, onMoved }: BaseUrlOptions = {},
): Promise<string> {
  const kept = await unlessNotFound(sets.source());
  if (kept !== undefined && !given.has('baseUrl') && !(serves && isLocal(kept.baseUrl))) return kept.baseUrl;
  if (kept?.baseUrl === baseUrl) return baseUrl;
  const isEmpty = kept === undefined || !(await hasChanges({ sets, index }));
  const mayChange = confirmed || kept?.served === false || isEmpty;
  try {
    await sets.useBaseUrl(baseUrl, mayChange);
  } catch (error) {
    if (!mayChange && isTidemarkError(error, 'conflict') && kept !== undefined)
      throw otherBaseUrl(kept.baseUrl, baseUrl, given.has('baseUrl'));
    throw error;
  }
  if (!isEmpty) onMoved?.(kept.baseUrl);
  return baseUrl;
}

/** The previous base URL; undefined for a new source. */
export async function keptBaseUrl({ sets }: Pick<App, 'sets'>): Promise<string | undefined> {
  return (await unlessNotFound(sets.source()))?.baseUrl;
}

/** The previous port; undefined when the base URL was not made from a port. */
export async function keptPort({ sets }: Pick<App, 'sets'>): Promise<number | undefined> {
  const kept = await keptBaseUrl({ sets });
  return kept !== undefined && isLocal(kept) ? portOf(kept) : undefined;
}

async function hasChanges({ sets, index }: Pick<App, 'sets' | 'index'>): Promise<boolean> {
  for (const { id } of await sets.list()) if ((await index.summary(id)).changes > 0) return true;
  return false;
}

/** Whether the base URL was made from a port. */
function isLocal(baseUrl: string): boolean {
  return /^http:\/\/localhost:\d+$/.test(baseUrl);
}

function portOf(baseUrl: string): number {
  return Number(URL.parse(baseUrl)?.port || 80);
}

function otherBaseUrl(kept: string, wanted: string, isGiven: boolean): TidemarkError {
  const same = `--base-url ${kept}`;
  const asBefore = isLocal(kept) && !isGiven ? `--port ${portOf(kept)} (a server beside it: with ${same})` : same;
  return new TidemarkError(
    'conflict',
    `this source was published as ${kept}, and would now be ${wanted}: every URI would change, and its history begin anew (a new epoch; ` +
      `each client copies everything again).\nStart it as before with ${asBefore}, or go on with --confirm-move`,
    { baseUrl: wanted, before: kept },
  );
}
