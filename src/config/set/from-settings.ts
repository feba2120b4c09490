import { resolve } from 'node:path';
import * as z from 'zod';
import { type Origin, traitsOf } from '../../core/origin.ts';
import { requireOtherSource } from '../../core/own-source.ts';
import { setHome } from '../../core/set-uris.ts';
import { requireAllowedSource } from '../allowed-roots.ts';
import {
  ADD,
  ADD_AND_CHANGE,
  one,
  requireFrom,
  type SettingValues,
  secondsOf,
  setting,
  several,
  text,
  wrong,
} from './set-setting.ts';
import type { SetContext } from './source-setting.ts';

const hosts = z.array(text).max(100, 'at most 100 hosts');

/** Seconds. */
export const DEFAULT_FROM_INTERVAL = 30;

/** How the source is read. */
const MORE_SETTINGS = {
  fromSet: setting({
    field: 'origin',
    schema: text,
    meaning: 'Which set of that source, when it has several: a part of the path of its Capability List, or its URL.',
    default: '(the only one)',
    givenTo: ADD,
    flags: [one('--from-set <set>', text)],
    check: (_set, origin) => requireFrom('--from-set', origin),
    show: (origin: Origin) => traitsOf(origin).from?.set,
  }),
  fromInterval: setting({
    field: 'fromInterval',
    schema: z.int('use a number of seconds').min(1, 'use a number of seconds').max(86_400, 'at most a day'),
    meaning:
      'With `--from`: seconds between two polls of a source that sends no changes as they happen. The flag takes a duration, such as `30s`.',
    default: String(DEFAULT_FROM_INTERVAL),
    givenTo: ADD_AND_CHANGE,
    flags: [
      {
        flag: '--from-interval <duration>',
        meaning: `with --from, how long to wait between two polls of a source without a stream of changes, such as 1m (default: ${DEFAULT_FROM_INTERVAL}s)`,
        parse: (text) => (text === '' ? null : secondsOf(text)),
      },
    ],
    check: (_seconds, origin) => requireFrom('--from-interval', origin),
    sample: DEFAULT_FROM_INTERVAL,
  }),
  fromAllowedHosts: setting({
    field: 'fromAllowedHosts',
    schema: hosts,
    meaning:
      'With `--from`: other hosts to which redirects are followed, and whose addresses may be private. Only on the command line.',
    default: '(none)',
    givenTo: ADD_AND_CHANGE,
    onlyLocal: true,
    flags: [several('--from-allow-host <host>', hosts)],
    check: (_hosts, origin) => requireFrom('--from-allow-host', origin),
  }),
  fromTokenFile: setting({
    field: 'fromTokenFile',
    schema: text,
    meaning: 'With `--from`: a file with a bearer token for the source. Only on the command line.',
    default: '(none)',
    givenTo: ADD_AND_CHANGE,
    onlyLocal: true,
    flags: [one('--from-token-file <file>', text)],
    locate: (file, folder) => resolve(folder, file),
    check: (_file, origin) => requireFrom('--from-token-file', origin),
  }),
  fromNetrc: setting({
    field: 'fromNetrc',
    schema: text,
    meaning:
      'With `--from`: a file with logins for hosts, as `curl --netrc-file` reads them. Only on the command line.',
    default: '(none)',
    givenTo: ADD_AND_CHANGE,
    onlyLocal: true,
    flags: [one('--from-netrc <file>', text)],
    locate: (file, folder) => resolve(folder, file),
    check: (_file, origin) => requireFrom('--from-netrc', origin),
  }),
} as const;

/** The settings of a set that copies another source: docs/mirror.md. */
export const FROM_SETTINGS = {
  from: setting({
    field: 'origin',
    schema: text,
    meaning: 'Any URL of another ResourceSync source: the set is a copy of it, kept in sync (docs/mirror.md).',
    default: '(none)',
    givenTo: ADD,
    source: {
      text: 'another source (--from URL)',
      summary: 'another source that it copies (--from)',
      inApiRoots: true,
      origin: givenSource,
    },
    flags: [one('--from <url>', text)],
    show: (origin: Origin) => traitsOf(origin).from?.url,
  }),
  ...MORE_SETTINGS,
} as const;

/**
 * Requests the source, so that a mistake is noticed at once. @throws TidemarkError `unavailable` when it does not
 * answer
 */
async function givenSource(
  url: string,
  { fromSet, fromAllowedHosts, fromTokenFile, fromNetrc }: SettingValues<typeof MORE_SETTINGS>,
  { configuration, allowedRoots, findSource, slug }: SetContext,
): Promise<Origin> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw wrong('from', `${JSON.stringify(url)} is not a URL of a source: use one such as https://example.org/`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong('from', 'the URL of the source has a login, which would be stored: use --from-netrc FILE');
  }
  const { href } = parsed;
  if (allowedRoots !== undefined) requireAllowedSource(href, allowedRoots);
  requireOtherSource([href], setHome(configuration.baseUrl, slug));
  const options = { allowedHosts: fromAllowedHosts ?? [], tokenFile: fromTokenFile ?? undefined };
  const found = { url: href, ...options, netrc: fromNetrc ?? undefined };
  return { kind: 'resourcesync', url: href, set: await findSource(found, fromSet ?? undefined) };
}
