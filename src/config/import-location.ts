import { TidemarkError } from '../core/errors.ts';
import type { ElasticsearchServers } from '../lib/elasticsearch/servers.ts';
import { certificateProblem } from './certificate-problem.ts';
import { checked, textOf, Wrong } from './checked-value.ts';
import { readNodes } from './elasticsearch-nodes.ts';
import type { Secret } from './secret.ts';

/** An index that another program wrote, or the alias of one that this program writes. */
export interface IndexLocation extends ElasticsearchServers {
  /** The name of an index or alias, a pattern, or several of them with commas. */
  readonly index: string;
}

type GivenIndex = Pick<IndexLocation, 'nodes' | 'authorization' | 'index'>;

/** The settings of the index to import, or to index into. */
export interface ImportSettings {
  readonly from: GivenIndex | undefined;
  readonly apiKey: Secret | undefined;
  /** Absolute. */
  readonly caFile: string | undefined;
}

/** `URL/INDEX`, which may contain a password. */
export const indexUrl = checked(readIndexUrl);

/**
 * The index to import: named by an argument of the command line, or else by the settings.
 * @throws TidemarkError `invalid`
 */
export function importLocation(argument: string | undefined, settings: ImportSettings): IndexLocation {
  return indexLocation(argument, settings, { variable: 'TIDEMARK_IMPORT', argument: 'URL/INDEX', ca: '--import-ca' });
}

/**
 * The alias to index an artifact into; same as `importLocation`, but only one name.
 * @throws TidemarkError `invalid`
 */
export function intoLocation(argument: string | undefined, settings: ImportSettings): IndexLocation {
  const location = indexLocation(argument, settings, {
    variable: 'TIDEMARK_INTO',
    argument: '--into',
    ca: '--into-ca',
  });
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(location.index)) return location;
  throw wrong(
    `"${location.index}" is not a valid alias name: use up to 100 small letters, digits, "." "_" and "-", a letter or digit first`,
  );
}

/** The names of the argument and the settings in messages. */
interface Names {
  readonly variable: 'TIDEMARK_IMPORT' | 'TIDEMARK_INTO';
  readonly argument: string;
  readonly ca: string;
}

function indexLocation(
  argument: string | undefined,
  { from, apiKey, caFile }: ImportSettings,
  names: Names,
): IndexLocation {
  const { variable } = names;
  const given = argument === undefined ? from : readArgument(argument, names);
  if (given === undefined) {
    const how = names.argument === 'URL/INDEX' ? 'as URL/INDEX' : `by ${names.argument} URL/INDEX`;
    throw wrong(`which index? Name it ${how}, or set ${variable}`);
  }
  if (given.authorization !== undefined && apiKey !== undefined) {
    throw wrong(`${variable}_API_KEY is an API key, and ${variable} contains a user and a password: leave one out`);
  }
  if (caFile !== undefined) {
    const problem = given.nodes.some((url) => url.startsWith('https:'))
      ? certificateProblem(caFile)
      : 'is for servers with https://, and the index is on none';
    if (problem !== undefined) throw wrong(`${variable}_CA (${names.ca}) ${problem}`);
  }
  return {
    ...given,
    ...(apiKey !== undefined && { authorization: `ApiKey ${apiKey.reveal()}` }),
    ...(caFile !== undefined && { caFile }),
  };
}

function readArgument(text: string, { variable, argument }: Names): GivenIndex {
  try {
    const given = readIndexUrl(text);
    if (given.authorization === undefined) return given;
    throw new Wrong(`contains a password, and a command line can be read by others: use ${variable}`);
  } catch (error) {
    if (error instanceof Wrong) throw wrong(`${argument} ${error.message}`);
    throw error;
  }
}

// The last segment of the path. The part before it may be the path of a proxy, or contain a password, and is parsed
// elsewhere.
const INDEX_URL = /^(https?:\/\/[^/].*?)\/([^/]*)\/*$/i;

function readIndexUrl(value: unknown): GivenIndex {
  const [, servers, index = ''] = INDEX_URL.exec(textOf(value)) ?? [];
  if (servers === undefined || index === '') {
    throw new Wrong('names no index: use http://HOST:PORT/INDEX');
  }
  // After an @, it would be the end of a password with a slash.
  if (index.includes('@')) throw new Wrong('has an @ in the name of the index: write %2F for / in a password');
  if (/[\\?"<>|\s#:]/.test(index) || /(?:^|,)(?:[_+]|$)/.test(index)) {
    throw new Wrong(
      'names an index that there cannot be: leave out spaces and \\ ? " < > | # :, and begin no name with _ or +',
    );
  }
  return { ...readNodes(servers), index };
}

function wrong(message: string): TidemarkError {
  return new TidemarkError('invalid', message);
}
