import { resolve } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import type { Origin } from '../core/origin.ts';
import { requireOtherSource } from '../core/own-source.ts';
import type { SetFields } from '../core/resource-set.ts';
import { setHome } from '../core/set-uris.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import { requireAllowedRoot, requireAllowedSource } from './allowed-roots.ts';
import type { Configuration } from './configuration.ts';
import { type GivenRoot, givenRoot } from './given-root.ts';
import { parseRecordsSource } from './records-source.ts';
import { wrong } from './set-setting.ts';
import { type SetValues, SOURCE_SETTINGS, setSettingOf, toSetFields } from './set-settings.ts';

interface Giver {
  readonly configuration: Configuration;
  /** Makes a relative path of a folder absolute. */
  readonly workingDirectory: string;
  /** The only roots and sources that may be given; undefined for any. */
  readonly allowedRoots?: readonly string[] | undefined;
  readonly findSource: FindSource;
  /** The id of the new set. */
  readonly slug: string;
}

/** Finds a set of another source, by any URL of it. Returns the URI of the set. */
export type FindSource = (options: FindSourceOptions, name: string | undefined) => Promise<string>;

interface FindSourceOptions {
  readonly url: string;
  readonly allowedHosts: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly netrc?: string | undefined;
}

interface NewSetFields extends SetFields {
  readonly origin: Origin;
  readonly urlPrefix: string | undefined;
}

/**
 * The values of a new set, converted to properties of the set. Its exclusions exclude this program's own files.
 * @throws TidemarkError `invalid` when values are missing or incompatible; `forbidden` for a root that is not allowed
 */
export async function newSetFields(values: SetValues, giver: Giver): Promise<NewSetFields> {
  const { origin, ownFiles } = await givenOrigin(values, giver);
  const fields = toSetFields(values, origin);
  return {
    ...fields,
    origin,
    urlPrefix: values.urlPrefix ?? undefined,
    exclude: [...(values.exclude ?? []), ...ownFiles],
  };
}

/** Each kind of source is named by a separate setting. */
async function givenOrigin(values: SetValues, giver: Giver): Promise<GivenRoot> {
  const { root, records, from, urlPrefix } = values;
  const [one, other] = SOURCE_SETTINGS.filter((name) => typeof values[name] === 'string');
  if (other !== undefined) throw wrong(other, `a set has one source: leave out --${one} or --${other}`);
  if (typeof from === 'string') return { origin: await givenSource(from, values, giver), ownFiles: [] };
  if (typeof records === 'string')
    return { origin: { kind: 'artifact', ...parseRecordsSource(records) }, ownFiles: [] };
  if (typeof root === 'string') {
    const { workingDirectory, configuration, allowedRoots } = giver;
    if (allowedRoots !== undefined)
      await requireAllowedRoot(isS3(root) ? root : resolve(workingDirectory, root), allowedRoots);
    return givenRoot(root, workingDirectory, configuration);
  }
  if (typeof urlPrefix === 'string') return { origin: { kind: 'posted' }, ownFiles: [] };
  const sources = SOURCE_SETTINGS.map((name) => setSettingOf(name).source);
  throw new TidemarkError(
    'invalid',
    `a set needs ${sources.join(', ')}, or the URL prefix (--url-prefix URL) of another server that has its files`,
  );
}

/**
 * Requests the source, so that a mistake is noticed at once. @throws TidemarkError `unavailable` when it does not
 * answer
 */
async function givenSource(url: string, values: SetValues, giver: Giver): Promise<Origin> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw wrong('from', `${JSON.stringify(url)} is not a URL of a source: use one such as https://example.org/`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong('from', 'the URL of the source has a login, which would be stored: use --from-netrc FILE');
  }
  const { href } = parsed;
  if (giver.allowedRoots !== undefined) requireAllowedSource(href, giver.allowedRoots);
  requireOtherSource([href], setHome(giver.configuration.baseUrl, giver.slug));
  const { fromSet, fromAllowedHosts, fromTokenFile, fromNetrc } = values;
  const options = { allowedHosts: fromAllowedHosts ?? [], tokenFile: fromTokenFile ?? undefined };
  const found = { url: href, ...options, netrc: fromNetrc ?? undefined };
  return { kind: 'resourcesync', url: href, set: await giver.findSource(found, fromSet ?? undefined) };
}
