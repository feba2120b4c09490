import { isAbsolute, resolve } from 'node:path';
import { checked, quote, textOf, Wrong } from './checked-value.ts';

// Schemas of settings of datasets, as setting-values.ts has those of others.

/** A file with a token, and the host that it is for. */
export interface HostFile {
  /** As URLs have it, with a port unless it is the usual one. */
  readonly host: string;
  readonly file: string;
}

/** Texts `HOST=FILE`, separated by commas. */
export const hostFiles = checked((value) => {
  return textOf(value).split(',').map(hostFileOf) as readonly HostFile[];
});

function hostFileOf(text: string): HostFile {
  const [, host = '', file = ''] = /^\s*([^=\s]+)=(.+?)\s*$/.exec(text) ?? [];
  const url = URL.parse(`https://${host}`);
  if (file !== '' && url !== null && url.pathname === '/' && url.username === '') return { host: url.host, file };
  throw new Wrong(`${quote(text)} is not a host with a file: use HOST=FILE, such as datadryad.org=/etc/tidemark/dryad`);
}

/** Makes the files absolute. */
export const locateHostFiles = (tokens: readonly HostFile[], folder: string): readonly HostFile[] =>
  tokens.map(({ host, file }) => ({ host, file: resolve(folder, file) }));

/** Where rows are written. The password is not a part of a setting. */
export type DatasetRows =
  | { readonly kind: 'none' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgresql'; readonly url: string };

export const datasetRows = checked((value): DatasetRows => {
  const text = textOf(value);
  if (text === 'none') return { kind: 'none' };
  const [, file] = /^sqlite:(.+)$/.exec(text) ?? [];
  if (file !== undefined) return { kind: 'sqlite', file };
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new Wrong(`${quote(value)} is not a database: use sqlite:FILE, postgresql://USER@HOST/DATABASE or none`);
  }
  if (url.password !== '' || url.searchParams.has('password'))
    throw new Wrong('contains a password: put it into PGPASSWORD, or into ~/.pgpass');
  return { kind: 'postgresql', url: text };
});

export const locateRows = (rows: DatasetRows, folder: string): DatasetRows =>
  rows.kind === 'sqlite' && !isAbsolute(rows.file) ? { ...rows, file: resolve(folder, rows.file) } : rows;

export interface KafkaServer {
  readonly host: string;
  readonly port: number;
}

export const kafkaServers = checked((value) => {
  return textOf(value)
    .split(',')
    .map((text) => {
      const url = URL.parse(`kafka://${text.trim()}`);
      if (url !== null && url.hostname !== '' && url.port !== '' && /^\/?$/.test(url.pathname) && url.username === '') {
        return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
      }
      throw new Wrong(`${quote(text)} is not a server: use HOST:PORT, such as kafka.example.org:9092`);
    }) as readonly KafkaServer[];
});

/** A part of the names of topics. */
export const kafkaEnvironment = checked((value) => {
  const text = textOf(value);
  if (/^[A-Za-z0-9_-]{1,60}$/.test(text)) return text;
  throw new Wrong(`${quote(value)} is not a name: use up to 60 letters, digits, "_" or "-"`);
});
