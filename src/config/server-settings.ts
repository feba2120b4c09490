import { SERVERS, setting } from './setting.ts';
import * as values from './setting-values.ts';

/** Settings of where a server is, and what it does, in the order of the reference. */
export const SERVER_SETTINGS = {
  baseUrl: setting({
    variable: 'TIDEMARK_BASE_URL',
    flag: '--base-url <url>',
    takenBy: SERVERS,
    schema: values.baseUrl,
    default: '(the previous one, else http://localhost:PORT)',
    meaning:
      'The public URL of this source. Every URI that it publishes begins with it, so changing it begins a new history and needs `--confirm-move`.',
  }),
  adminEmail: setting({
    variable: 'TIDEMARK_ADMIN_EMAIL',
    flag: '--admin-email <address>',
    takenBy: SERVERS,
    schema: values.email,
    default: '(postmaster at the host of the base URL)',
    meaning: 'An address for questions about this source, which OAI-PMH publishes: see `docs/harvests.md`.',
  }),
  host: setting({
    variable: 'TIDEMARK_HOST',
    flag: '--host <address>',
    takenBy: SERVERS,
    schema: values.host,
    default: '127.0.0.1',
    meaning:
      'Address at which the server listens. Other than a local one, it needs a token (of `tokens create`, or `token`) or `publicReadOnly`: see `docs/access.md`.',
  }),
  port: setting({
    variable: 'TIDEMARK_PORT',
    flag: '--port <number>',
    takenBy: SERVERS,
    schema: values.port,
    default: '(the previous one, when no base URL was given; else 8080)',
    meaning:
      'Port at which the server listens, and part of the base URL when that is not set; 0 takes that of last time, or another one that is free.',
  }),
  sharePort: setting({
    variable: 'TIDEMARK_SHARE_PORT',
    flag: '--share-port',
    takenBy: SERVERS,
    schema: values.yesOrNo,
    default: 'false',
    meaning:
      'Lets several servers of the same store listen on the same port, each started with this setting; the system deals connections out. Not on macOS and Windows. See `docs/operating.md`.',
  }),
  ownPort: setting({
    variable: 'TIDEMARK_OWN_PORT',
    flag: '--own-port <number>',
    takenBy: SERVERS,
    schema: values.port,
    default: '(none)',
    meaning:
      'A second port, of this server alone, where several share `port`: for `/metrics`, `/readyz` and `tidemark status`.',
  }),
  sources: setting({
    variable: 'TIDEMARK_SOURCES',
    flag: '--no-sources',
    takenBy: ['serve'],
    schema: values.yesOrNo,
    default: 'true',
    meaning:
      'With `--no-sources`, or `false`, the server does not keep sets in sync with their folders, buckets, artifacts and other sources: it only answers requests and takes posted changes. Servers of a store that are started without it share the sets.',
  }),
} as const;
