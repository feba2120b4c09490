import { resolve } from 'node:path';
import * as z from 'zod';
import { type Origin, traitsOf } from '../core/origin.ts';
import { one, requireFrom, type SetCommand, secondsOf, setting, several } from './set-setting.ts';

/** The settings of the source that a set copies: docs/republishing.md. */

const ADD: readonly SetCommand[] = ['sets add'];
const ADD_AND_CHANGE: readonly SetCommand[] = ['sets add', 'sets change'];
const text = z.string().min(1, 'it is empty').max(4096, 'it is longer than 4096 characters');
const hosts = z.array(text).max(100, 'at most 100 hosts');

/** Seconds. */
export const DEFAULT_FROM_INTERVAL = 30;

export const FROM_SETTINGS = {
  from: setting({
    field: 'origin',
    schema: text,
    meaning: 'Any URL of another ResourceSync source: the set is a copy of it, kept in sync (docs/republishing.md).',
    default: '(none)',
    givenTo: ADD,
    source: 'another source (--from URL)',
    inApiRoots: true,
    flags: [one('--from <url>', text)],
    show: (origin: Origin) => traitsOf(origin).from?.url,
  }),
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
