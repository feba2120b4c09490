import { TidemarkError } from '../../core/errors.ts';

/** A prefix of a bucket, and how to connect to it. It contains no credentials. */
export interface S3Location {
  readonly bucket: string;
  /** The prefix of all keys: empty, or it ends with a slash. */
  readonly prefix: string;
  /** The URL of the server; undefined for Amazon. */
  readonly endpoint: string | undefined;
  /** The URL of the server for clients that follow a presigned URL. */
  readonly publicEndpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether URLs have the name of the bucket in their path instead of in the name of the host. */
  readonly pathStyle: boolean;
  /** Whether requests are sent without credentials. */
  readonly anonymous: boolean;
  /** The profile in the shared AWS configuration with the credentials. */
  readonly profile: string | undefined;
}

const SCHEME = /^s3:\/\//i;
// Older buckets on Amazon, and buckets on other servers, have names with capitals and underscores.
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const PARAMETERS = ['endpoint', 'public-endpoint', 'region', 'path-style', 'anonymous', 'profile'] as const;
type Parameter = (typeof PARAMETERS)[number];

/** Whether a root has the form of an S3 location. */
export function isS3(root: string): boolean {
  return SCHEME.test(root);
}

/** What a location is for. Errors name it. */
export type S3Use = 'root' | 'new-root' | 'artifacts' | 'mirror';

export const CALLED: Readonly<Record<S3Use, string>> = {
  root: 'the root',
  'new-root': 'the root',
  artifacts: 'the artifact store',
  mirror: 'the copy',
};

/**
 * Parses `s3://bucket/prefix?endpoint=…&region=…`.
 * @throws TidemarkError `invalid`, whose message does not repeat values that may be secret
 */
export function parseS3Location(text: string, use: S3Use = 'root'): S3Location {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    throw new TidemarkError('invalid', `${CALLED[use]} ${error.message}`, { field: use });
  }
}

/** A parse error, as words that follow the name of what the location is for. It never leaves this file. */
class Wrong extends Error {}

function parse(text: string): S3Location {
  const url = URL.parse(text);
  if (url === null || !isS3(text)) throw new Wrong('is not an s3://BUCKET/PREFIX');
  if (url.username !== '' || url.password !== '') {
    throw new Wrong(
      'contains a key or a password: put credentials into the environment (AWS_ACCESS_KEY_ID …), see docs/s3.md',
    );
  }
  if (url.hash !== '') throw new Wrong('has a "#": write it as %23');
  if (url.port !== '' || !BUCKET.test(url.hostname)) {
    throw new Wrong(
      `has "${url.host}" where the name of a bucket is expected: 3 to 63 letters, digits, ".", "_" or "-"`,
    );
  }
  const parameters = readParameters(url.searchParams);
  const endpoint = readEndpoint('endpoint', parameters.endpoint);
  return {
    bucket: url.hostname,
    prefix: readPrefix(url.pathname),
    endpoint,
    publicEndpoint: readEndpoint('public-endpoint', parameters['public-endpoint']),
    region: readName('region', parameters.region),
    pathStyle: readYesOrNo('path-style', parameters['path-style']) ?? endpoint !== undefined,
    anonymous: readYesOrNo('anonymous', parameters.anonymous) ?? false,
    profile: readName('profile', parameters.profile),
  };
}

/** The canonical form of a location: equal locations have equal texts. */
export function formatS3Location(location: S3Location): string {
  const { endpoint, publicEndpoint, region, pathStyle, anonymous, profile } = location;
  const given: Record<Parameter, string | undefined> = {
    endpoint,
    'public-endpoint': publicEndpoint,
    region,
    'path-style': pathStyle === (endpoint !== undefined) ? undefined : String(pathStyle),
    anonymous: anonymous ? 'true' : undefined,
    profile,
  };
  const query = PARAMETERS.filter((name) => given[name] !== undefined).map((name) => `${name}=${given[name]}`);
  return query.length === 0 ? describeS3(location) : `${describeS3(location)}?${query.join('&')}`;
}

/** Bucket and prefix, for messages. */
export function describeS3({ bucket, prefix }: Pick<S3Location, 'bucket' | 'prefix'>): string {
  const path = prefix.slice(0, -1).split('/').map(encodeURIComponent).join('/');
  return path === '' ? `s3://${bucket}` : `s3://${bucket}/${path}`;
}

function readPrefix(pathname: string): string {
  let path: string;
  try {
    path = decodeURIComponent(pathname).replace(/^\//, '').replace(/\/$/, '');
  } catch {
    throw new Wrong('has a prefix whose percent-encoded bytes are not UTF-8');
  }
  if (path === '') return '';
  if (path.split('/').some((name) => name === '' || name === '.' || name === '..')) {
    throw new Wrong('has an empty part, "." or ".." in its prefix');
  }
  return `${path}/`;
}

function readParameters(parameters: URLSearchParams): Partial<Record<Parameter, string>> {
  const known = new Set<string>(PARAMETERS);
  for (const name of parameters.keys()) {
    // The value may be a secret, so it is not repeated.
    if (!known.has(name)) throw new Wrong(`has an unknown parameter "${name}": there are ${PARAMETERS.join(', ')}`);
    if (parameters.getAll(name).length > 1) throw new Wrong(`has the parameter "${name}" twice`);
  }
  return Object.fromEntries(parameters);
}

function readEndpoint(name: Parameter, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Wrong(`has an ${name} that is not a URL with http:// or https:// and without a user`);
  }
  // The URL is part of a query string, unencoded for readability: this limits it to characters that are safe there.
  if (url.search !== '' || url.hash !== '' || !/^[A-Za-z0-9._~/-]*$/.test(url.pathname)) {
    throw new Wrong(`has an ${name} with more than a host, a port and a plain path`);
  }
  return url.href.replace(/\/+$/, '');
}

function readName(name: Parameter, text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z0-9_.-]{1,64}$/.test(text)) return text;
  throw new Wrong(`has a ${name} that is none`);
}

function readYesOrNo(name: Parameter, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Wrong(`has a ${name} that is neither true nor false`);
}
