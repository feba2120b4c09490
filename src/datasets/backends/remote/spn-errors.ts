import type { IngestFailure } from '../../ingest-failure.ts';

/** What a `status_ext` of Save Page Now 2 means for a file. */
interface SpnError {
  readonly status: IngestFailure['status'];
  /** Whether another attempt in some seconds may avoid it. */
  readonly passes?: true;
  /** What was wrong, and what to do. */
  readonly advice: string;
}

const LATER = 'try again later';
const OWN = 'unset --dataset-web, and the file is fetched and stored here';
const overloaded = { status: 'error-backend', passes: true, advice: `it is overloaded: ${LATER}` } as const;
const unsteady = {
  status: 'file-not-fetched',
  passes: true,
  advice: `the platform did not answer it well: ${LATER}`,
} as const;
const refused = {
  status: 'platform-restricted',
  advice: `the platform does not give it the file: Save Page Now has no tokens of platforms; ${OWN}`,
} as const;
const odd = {
  status: 'file-not-fetched',
  advice: `the platform answers what it does not understand: ${OWN}`,
} as const;
const daily = (what: string) =>
  ({ status: 'error-backend', advice: `${what}: try again tomorrow, or ${OWN}` }) as const;

/** By the text after `error:`, as the documents of its API list them. */
const ERRORS: Readonly<Record<string, SpnError>> = {
  'bad-gateway': unsteady,
  'bad-request': odd,
  'bandwidth-limit-exceeded': unsteady,
  blocked: { status: 'blocked-challenge', advice: `the platform refuses requests of robots: ${OWN}` },
  'blocked-client-ip': {
    status: 'error-backend',
    advice: 'your address is on a list of spam: use keys, or another address',
  },
  'blocked-url': { status: 'error-backend', advice: `it captures no URL of this kind: ${OWN}` },
  'browsing-timeout': overloaded,
  'cannot-fetch': overloaded,
  'capture-location-error': overloaded,
  celery: overloaded,
  'filesize-limit': {
    status: 'too-large-size',
    advice: 'it captures files up to 2 GB: lower --dataset-web-file-size, and the dataset is stored as an item',
  },
  'ftp-access-denied': refused,
  'gateway-timeout': unsteady,
  'http-version-not-supported': odd,
  'internal-server-error': overloaded,
  'invalid-host-resolution': {
    status: 'file-not-fetched',
    advice: 'there is no such host: check the URL of the file at the platform',
  },
  'invalid-server-response': odd,
  'invalid-url-syntax': { status: 'bad-url', advice: 'the platform gives a wrong URL of the file: report it there' },
  'job-failed': overloaded,
  'max-daily-bandwidth': daily('it has captured 5 GB for you today, and takes no more'),
  'max-daily-bandwidth-from-ip': daily('it has captured 2 GB for your address today: use keys'),
  'max-daily-bandwidth-host': daily('it has captured 100 GB of this platform today'),
  'method-not-allowed': odd,
  'network-authentication-required': refused,
  'no-access': refused,
  'no-browsers-available': overloaded,
  'not-found': { status: 'platform-404', advice: 'the platform has no such file any more: check its landing page' },
  'not-implemented': odd,
  'protocol-error': unsteady,
  'proxy-error': overloaded,
  'read-timeout': unsteady,
  'service-unavailable': unsteady,
  'soft-time-limit-exceeded': {
    status: 'error-backend',
    passes: true,
    advice: `the file came too slowly for it: ${LATER}, or ${OWN}`,
  },
  'too-many-daily-captures': daily('it has captured this URL ten times today'),
  'too-many-redirects': { status: 'redirect-loop', advice: `it follows three redirects only: ${OWN}` },
  'too-many-requests': { ...unsteady, advice: `the platform gets too many requests of it: ${LATER}` },
  unauthorized: refused,
  'user-session-limit': { ...overloaded, advice: `all captures that you may run at a time are running: ${LATER}` },
};

export const SPN_ERRORS = Object.keys(ERRORS);
/** All sessions of the account are used. */
export const SESSION_LIMIT = 'user-session-limit';

/** @param name a `status_ext`, with or without `error:` */
export function spnErrorOf(name: string): SpnError {
  const known = name.replace(/^error:/, '');
  if (Object.hasOwn(ERRORS, known)) return ERRORS[known]!;
  return { status: 'error-backend', advice: `this version does not know that error: ${LATER}, or ${OWN}` };
}
