import { TidemarkError } from '../domain/errors.ts';
import { certificateProblem } from './certificate-problem.ts';
import { checked, textOf, Wrong } from './checked-value.ts';
import type { ElasticsearchServers, Secret } from './configuration.ts';
import { readNodes } from './elasticsearch-nodes.ts';

/** An index that another program wrote. */
export interface IndexLocation extends ElasticsearchServers {
  /** The name of an index or alias, a pattern, or several of them with commas. */
  readonly index: string;
}

type GivenIndex = Pick<IndexLocation, 'nodes' | 'authorization' | 'index'>;

/** What settings say of the index to import. */
export interface ImportSettings {
  readonly from: GivenIndex | undefined;
  readonly apiKey: Secret | undefined;
  /** Absolute. */
  readonly caFile: string | undefined;
}

/** `URL/INDEX`, which may hold a password. */
export const indexUrl = checked(readIndexUrl);

/**
 * The index that an argument of the command line names, or else the settings.
 * @throws TidemarkError `invalid`
 */
export function importLocation(argument: string | undefined, { from, apiKey, caFile }: ImportSettings): IndexLocation {
  const given = argument === undefined ? from : readArgument(argument);
  if (given === undefined) throw wrong('which index? Name it as URL/INDEX, or set TIDEMARK_IMPORT');
  if (given.authorization !== undefined && apiKey !== undefined) {
    throw wrong(
      'TIDEMARK_IMPORT_API_KEY is an API key, and TIDEMARK_IMPORT holds a user and a password: leave one out',
    );
  }
  if (caFile !== undefined) {
    const problem = given.nodes.some((url) => url.startsWith('https:'))
      ? certificateProblem(caFile)
      : 'is for servers with https://, and the index is on none';
    if (problem !== undefined) throw wrong(`TIDEMARK_IMPORT_CA (--import-ca) ${problem}`);
  }
  return {
    ...given,
    ...(apiKey !== undefined && { authorization: `ApiKey ${apiKey.reveal()}` }),
    ...(caFile !== undefined && { caFile }),
  };
}

function readArgument(text: string): GivenIndex {
  try {
    const given = readIndexUrl(text);
    if (given.authorization === undefined) return given;
    throw new Wrong('holds a password, and a command line can be read by others: use TIDEMARK_IMPORT');
  } catch (error) {
    if (error instanceof Wrong) throw wrong(`URL/INDEX ${error.message}`);
    throw error;
  }
}

// The last segment of the path; what is before it may be the path of a proxy, or hold a password, and is read elsewhere.
const INDEX_URL = /^(https?:\/\/[^/].*?)\/([^/]*)\/*$/i;

function readIndexUrl(value: unknown): GivenIndex {
  const [, servers, index = ''] = INDEX_URL.exec(textOf(value)) ?? [];
  if (servers === undefined || index === '') {
    throw new Wrong('names no index: use http://HOST:PORT/INDEX, or several as INDEX,INDEX');
  }
  // Behind an @, it would be the end of a password with a slash.
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
