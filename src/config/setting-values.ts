import { isIP } from 'node:net';
import { parseCron } from '../lib/cron.ts';
import { isS3, parseS3Location } from '../lib/s3/s3-location.ts';
import { checked, quote, textOf, Wrong } from './checked-value.ts';
import { Secret } from './secret.ts';

// Values come as texts from flags and variables, and as JSON from the file: each schema accepts both. A message
// contains the fault and what to write instead; it follows the setting's name.

const BYTES = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 } as const;
const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
// The longest delay of a timer is 2^31 - 1 ms, a little less than 25 days.
const LONGEST_DURATION = 24 * MILLISECONDS.h;
const UNLIMITED = 'unlimited';
const SMALLEST_SIZE = BYTES.mb;

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export const LOG_FORMATS = ['auto', 'json', 'text'] as const;

export const ROBOTS = ['quiet', 'sitemaps', 'disallow'] as const;

/** Bytes. */
export const size = checked(readSize);

/** Bytes; Infinity for no limit. */
export const sizeOrUnlimited = checked((value) => {
  return textOf(value) === UNLIMITED ? Number.POSITIVE_INFINITY : readSize(value);
});

/** A whole number above 0; Infinity for no limit. */
export const countOrUnlimited = checked((value) => {
  const text = textOf(value);
  if (text === UNLIMITED) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Wrong(`${quote(value)} is not a number: use a whole number above 0, or ${UNLIMITED}`);
});

function readSize(value: unknown): number {
  const [, number = '', unit = 'b'] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?b)?$/i.exec(textOf(value)) ?? [];
  const bytes = Math.floor(Number(number) * BYTES[unit.toLowerCase() as keyof typeof BYTES]);
  if (number === '') throw new Wrong(`${quote(value)} is not a size: use a number with kb, mb, gb or tb, such as 2gb`);
  if (bytes < SMALLEST_SIZE) throw new Wrong(`${quote(value)} is too small: use 1mb or more`);
  return bytes;
}

/** Milliseconds. */
export const duration = checked((value) => {
  const [, number = '', unit = 'ms'] = /^(\d{1,12}(?:\.\d{1,3})?) ?(ms|s|m|h)$/i.exec(textOf(value)) ?? [];
  const milliseconds = Math.floor(Number(number) * MILLISECONDS[unit.toLowerCase() as keyof typeof MILLISECONDS]);
  if (number === '') throw new Wrong(`${quote(value)} is not a duration: use a number with ms, s, m or h, such as 30s`);
  if (milliseconds < 1 || milliseconds > LONGEST_DURATION) throw new Wrong(`${quote(value)} is not from 1ms to 24h`);
  return milliseconds;
});

/** A name of the IANA database. */
export const timeZone = checked((value) => {
  const text = textOf(value);
  // The default. The first use of `Intl` takes 9 MB.
  if (text === 'UTC') return text;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new Wrong(`${quote(value)} is not a time zone: use one such as Europe/Vienna or UTC`);
  }
});

/** A pattern of CRON, or `off`. */
export const cronOrOff = checked((value) => {
  const text = textOf(value);
  if (text === 'off') return text;
  try {
    parseCron(text, 'UTC');
    return text;
  } catch (error) {
    throw new Wrong(`${quote(value)} is neither a schedule, such as 0 5 * * *, nor off: ${(error as Error).message}`);
  }
});

/** As OAI-PMH.xsd has it. */
export const email = checked((value) => {
  const text = textOf(value);
  if (/^[^\s@<>]+@(?:[^\s@<>.]+\.)+[^\s@<>.]+$/.test(text)) return text;
  throw new Wrong(`${quote(value)} is not an e-mail address: use one such as oai@example.org`);
});

const MOST_CONCURRENT_JOBS = 12;

export const jobConcurrency = checked((value) => {
  const number = /^\d{1,2}$/.test(textOf(value)) ? Number(textOf(value)) : Number.NaN;
  if (number >= 1 && number <= MOST_CONCURRENT_JOBS) return number;
  throw new Wrong(`${quote(value)} is not a whole number from 1 to ${MOST_CONCURRENT_JOBS}`);
});

export const backupsKept = wholeNumber(1, 1_000);

export const pieceItems = wholeNumber(1, 100_000);

export const datasetFiles = wholeNumber(1, 10_000);

/** In a minute. */
export const ingestRate = wholeNumber(1, 60_000);

export function wholeNumber(least: number, most: number) {
  return checked((value) => {
    const number = /^\d{1,9}$/.test(textOf(value)) ? Number(textOf(value)) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new Wrong(`${quote(value)} is not a whole number from ${least} to ${most}`);
  });
}

const MOST_RETRIES = 100;

export const retries = checked((value) => {
  const number = /^\d{1,3}$/.test(textOf(value)) ? Number(textOf(value)) : Number.NaN;
  if (number <= MOST_RETRIES) return number;
  throw new Wrong(`${quote(value)} is not a whole number from 0 to ${MOST_RETRIES}`);
});

const MOST_DAYS = 365;

/** Whole days; Infinity for never. */
export const daysOrNever = checked((value) => {
  const text = textOf(value);
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const number = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 1 && number <= MOST_DAYS) return number;
  throw new Wrong(`${quote(value)} is not a number of days: use a whole number from 1 to ${MOST_DAYS}, or never`);
});

const MOST_AGE_DAYS = 36_500;

/** Milliseconds; Infinity for the word. */
function ageOr(word: 'forever' | 'never') {
  return checked((value) => {
    if (textOf(value) === word) return Number.POSITIVE_INFINITY;
    const [, number = '', unit = 'd'] = /^(\d{1,6}) ?(h|d)$/.exec(textOf(value)) ?? [];
    const milliseconds = Number(number) * (unit === 'd' ? 24 : 1) * MILLISECONDS.h;
    if (milliseconds >= MILLISECONDS.h && milliseconds <= MOST_AGE_DAYS * 24 * MILLISECONDS.h) return milliseconds;
    throw new Wrong(`${quote(value)} is not an age: use a number with h or d, such as 180d, or ${word}`);
  });
}

export const ageOrForever = ageOr('forever');
export const ageOrNever = ageOr('never');

/** A share, from 0 to 1. */
export const percent = checked((value) => {
  const [, number = ''] = /^(\d{1,3}(?:\.\d{1,3})?) ?%?$/.exec(textOf(value)) ?? [];
  if (number !== '' && Number(number) <= 100) return Number(number) / 100;
  throw new Wrong(`${quote(value)} is not a percentage: use a number from 0 to 100, such as 30%`);
});

/** 0 means any free port. */
export const port = checked((value) => {
  const text = textOf(value);
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535)) throw new Wrong(`${quote(value)} is not a port number: use a number from 0 to 65535`);
  return number;
});

export const yesOrNo = checked((value) => {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new Wrong(`${quote(value)} is neither true nor false`);
});

export const logLevel = checked((value) => {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) throw new Wrong(`${quote(value)} is not a log level: use ${LOG_LEVELS.join(', ')}`);
  return level;
});

export const logFormat = checked((value) => {
  const format = LOG_FORMATS.find((known) => known === value);
  if (format === undefined) throw new Wrong(`${quote(value)} is not a log format: use ${LOG_FORMATS.join(', ')}`);
  return format;
});

export const robots = checked((value) => {
  const kind = ROBOTS.find((known) => known === value);
  if (kind === undefined) throw new Wrong(`${quote(value)} is not a kind of robots.txt: use ${ROBOTS.join(', ')}`);
  return kind;
});

export const host = checked((value) => {
  const text = textOf(value);
  if (/^[A-Za-z0-9.:_-]+$/.test(text)) return text;
  throw new Wrong(`${quote(value)} is not an address: use an IP address or a host name, such as 127.0.0.1`);
});

/** Characters: an index of 50,000 URIs with this prefix then has at most about 50 MB. */
const MOST_BASE_URL = 300;

/** A URL without a slash at its end. */
export const baseUrl = checked((value) => {
  const url = URL.parse(textOf(value));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Wrong(`${quote(value)} is not a URL: begin with http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') throw new Wrong('contains a user name or password: leave them out');
  if (url.search !== '' || url.hash !== '') throw new Wrong(`${quote(value)} has a query or a fragment: leave it out`);
  const base = url.href.replace(/\/+$/, '');
  if (base.length <= MOST_BASE_URL) return base;
  throw new Wrong(`has ${base.length} characters; at most ${MOST_BASE_URL}`);
});

/** A URL that is requested. */
export const webUrl = checked((value) => {
  const url = URL.parse(textOf(value));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Wrong(`${quote(value)} is not a URL: begin with http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') throw new Wrong('contains a user name or password: leave them out');
  return url.href;
});

/** A path, resolved later: against the working directory, or the folder of the configuration file. */
export const path = checked((value) => {
  const text = textOf(value);
  if (text === '' || text.includes('\0')) throw new Wrong(`${quote(value)} is not a path`);
  return text;
});

export const token = checked((value) => {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{8,}$/.test(value)) {
    throw new Wrong('is not a token: use 8 or more ASCII characters without spaces');
  }
  return new Secret(value);
});

/** The URL of a mail server, with its password. */
export const smtpUrl = checked((value) => {
  const url = URL.parse(textOf(value));
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new Wrong('is not the URL of a mail server: write it as smtp://user:password@mail.example.org:587');
  }
  return new Secret(url.href);
});

/** The hub of WebSub: none, the one of this server, or that of another server. */
type Hub =
  | { readonly kind: 'none' }
  | { readonly kind: 'inside' }
  | { readonly kind: 'elsewhere'; readonly url: string };

export const hub = checked((value): Hub => {
  const text = textOf(value);
  if (text === 'none' || text === 'inside') return { kind: text };
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hash === '' && url.username === '' && url.password === '') {
    return { kind: 'elsewhere', url: url.href };
  }
  if (url?.username || url?.password) throw new Wrong('a hub has no user and no password in its URL');
  throw new Wrong(`${quote(value)} is not a hub: use inside, none, or a URL that begins with http:// or https://`);
});

/** Networks in CIDR notation, or single addresses. */
export const networks = checked((value) => {
  const all = textOf(value)
    .split(',')
    .map((network) => network.trim());
  const unfit = all.find((network) => !isNetwork(network));
  if (unfit === undefined) return all as readonly string[];
  throw new Wrong(`${quote(unfit)} is not a network: use an IP address, or one such as 10.1.0.0/16`);
});

/** Folders, and locations on S3. */
export const roots = checked((value) => {
  const all = textOf(value)
    .split(',')
    .map((root) => root.trim())
    .filter((root) => root !== '');
  for (const root of all) if (isS3(root)) requireS3(root);
  return all as readonly string[];
});

function requireS3(root: string): void {
  try {
    parseS3Location(root);
  } catch (error) {
    throw new Wrong((error as Error).message);
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  return version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

export const text = checked((value) => textOf(value));
