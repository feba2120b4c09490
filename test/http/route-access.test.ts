import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '../../src/access/scope.ts';
import { Secret } from '../../src/config/secret.ts';
import { requestId } from '../../src/datasets/results/requests.ts';
import type { Route } from '../../src/http/request/route.ts';
import { routeTable } from '../../src/http/routes/route-table.ts';
import { type Answer, ask, type Question } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer } from '../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

type Rule =
  | 'everybody'
  | 'everybody, also with a token that is not valid'
  | 'who may read the set'
  | 'who may post to the set'
  | 'who may read the organization'
  | 'who may upload for the organization'
  | 'who may read the collection'
  | 'administrators'
  | 'who may manage the organization'
  | 'who may manage an organization'
  | 'who may read metrics'
  | 'everybody, from a page of the server';

/** Who may use each route, written down a second time: a route that is not here fails. */
const RULES: Readonly<Record<string, Rule>> = {
  'GET /': 'everybody',
  'GET /status': 'everybody',
  'GET /fonts/public-sans-latin-5.3.0.woff2': 'everybody',
  'GET /fonts/public-sans-latin-ext-5.3.0.woff2': 'everybody',
  'GET /sign-in': 'everybody',
  'POST /sign-in': 'everybody, from a page of the server',
  'POST /sign-out': 'everybody, from a page of the server',
  'GET /add-set': 'administrators',
  'POST /add-set': 'administrators',
  'GET /sets/:set/settings': 'administrators',
  'POST /sets/:set/settings': 'administrators',
  'POST /sets/:set/scan': 'administrators',
  'POST /sets/:set/remove': 'administrators',
  'GET /organizations/': 'everybody',
  'GET /api/organizations/:org/statistics': 'who may read the organization',
  'POST /api/organizations/:org/activities': 'who may upload for the organization',
  'GET /api/organizations/:org/activities': 'who may read the organization',
  'POST /api/organizations/:org/schedules/:activity': 'administrators',
  'DELETE /api/organizations/:org/schedules/:activity': 'administrators',
  'GET /api/organizations/:org/activities/:activity/:number': 'who may read the organization',
  'GET /api/organizations/:org/activities/:activity/:number/errors': 'who may read the organization',
  'GET /organizations/:org/': 'who may read the organization',
  'GET /organizations.json': 'everybody',
  'GET /organizations/:org.json': 'who may read the organization',
  'GET /organizations/:org/streams': 'who may read the organization',
  'GET /organizations/:org/streams.json': 'who may read the organization',
  'GET /organizations/:org/streams/:stream.json': 'who may read the organization',
  'GET /organizations/:org/uploads': 'who may read the organization',
  'GET /organizations/:org/uploads.json': 'who may read the organization',
  'GET /organizations/:org/uploads/:stream/:number.json': 'who may read the organization',
  'GET /organizations/resourcelist': 'everybody',
  'GET /organizations/normalized_resourcelist': 'everybody',
  'GET /organizations/normalized_resourcelist/:flavor': 'everybody',
  'GET /organizations/:org/resourcelist': 'who may read the organization',
  'GET /organizations/:org/normalized_resourcelist': 'who may read the organization',
  'GET /organizations/:org/normalized_resourcelist/:flavor': 'who may read the organization',
  'GET /organizations/:org/streams/:stream/resourcelist': 'who may read the organization',
  'GET /organizations/:org/streams/:stream/normalized_resourcelist': 'who may read the organization',
  'GET /organizations/:org/streams/:stream/normalized_resourcelist/:flavor': 'who may read the organization',
  'GET /.well-known/resourcesync/capabilitylist': 'everybody',
  'GET /.well-known/resourcesync/normalized-capabilitylist': 'everybody',
  'GET /.well-known/resourcesync/normalized-capabilitylist/:flavor': 'everybody',
  'GET /organizations/:org/streams/:stream/': 'who may read the organization',
  'GET /organizations/:org/streams/:stream/uploads/:number/': 'who may read the organization',
  'GET /organizations/:org/uploads/:stream/:number/records': 'who may read the organization',
  'POST /organizations/:org/streams/:stream/uploads/:number/remove': 'who may manage the organization',
  'POST /organizations/:org/streams/:stream/uploads/:number/retry': 'who may upload for the organization',
  'GET /organizations/:org/activities/': 'who may read the organization',
  'POST /organizations/:org/activities/': 'who may upload for the organization',
  'GET /organizations/:org/activities/:activity/:number/': 'who may read the organization',
  'POST /organizations/:org/activities/:activity/:number/again': 'who may upload for the organization',
  'GET /organizations/:org/upload': 'who may upload for the organization',
  'POST /organizations/:org/upload': 'who may upload for the organization',
  'GET /add-organization': 'administrators',
  'POST /add-organization': 'administrators',
  'GET /organizations/:org/settings': 'who may manage the organization',
  'POST /organizations/:org/settings': 'who may manage the organization',
  'POST /organizations/:org/remove': 'administrators',
  'POST /organizations/:org/streams': 'who may manage the organization',
  'POST /organizations/:org/streams/:stream/remove': 'who may manage the organization',
  'POST /organizations/:org/streams/:stream/default': 'who may manage the organization',
  'POST /organizations/:org/streams/:stream/archive': 'who may manage the organization',
  'POST /organizations/:org/dumps/full': 'who may manage the organization',
  'POST /organizations/:org/dumps/delta': 'who may manage the organization',
  'GET /collections/': 'everybody',
  'GET /collections/:collection/': 'who may read the collection',
  'GET /add-collection': 'administrators',
  'POST /add-collection': 'administrators',
  'GET /collections/:collection/settings': 'administrators',
  'POST /collections/:collection/settings': 'administrators',
  'POST /collections/:collection/remove': 'administrators',
  'POST /collections/:collection/harvests': 'administrators',
  'GET /collections/:collection/harvests/:number/': 'who may read the collection',
  'POST /collections/:collection/harvests/:number/again': 'administrators',
  'GET /api/collections': 'everybody',
  'POST /api/collections': 'administrators',
  'GET /api/collections/:collection': 'who may read the collection',
  'PATCH /api/collections/:collection': 'administrators',
  'DELETE /api/collections/:collection': 'administrators',
  'POST /api/collections/:collection/harvests': 'administrators',
  'GET /api/collections/:collection/harvests': 'who may read the collection',
  'GET /api/collections/:collection/harvests/:number': 'who may read the collection',
  'GET /api/collections/:collection/harvests/:number/errata': 'who may read the collection',
  'GET /datasets/': 'everybody',
  'POST /datasets/': 'who may post to the set',
  'GET /datasets/:dataset/': 'who may read the set',
  'POST /datasets/:dataset/retry': 'who may post to the set',
  'POST /api/datasets': 'who may post to the set',
  'GET /api/datasets': 'everybody',
  'GET /api/datasets/:dataset': 'who may read the set',
  'GET /api/datasets/:dataset/files': 'who may read the set',
  'POST /api/datasets/:dataset/retry': 'who may post to the set',
  'GET /tokens': 'who may manage an organization',
  'POST /tokens': 'who may manage an organization',
  'GET /tokens/made': 'everybody',
  'POST /tokens/:id/revoke': 'who may manage an organization',
  'GET /validate': 'administrators',
  'POST /validate': 'administrators',
  'GET /sets/:set/': 'who may read the set',
  'GET /sets/:set/changes': 'who may read the set',
  'GET /sets/:set/changes.atom': 'who may read the set',
  'GET /sets/:set/find': 'who may read the set',
  'GET /sets/:set/resource': 'who may read the set',
  'GET /sets/:set/record': 'who may read the set',
  'GET /sets/:set/pages': 'who may read the set',
  'POST /sets/:set/archive/keep': 'administrators',
  'POST /sets/:set/dump/build': 'administrators',
  'GET /sets/:set/postings': 'who may post to the set',
  'POST /sets/:set/pages/:name/refresh': 'administrators',

  'GET /robots.txt': 'everybody',
  'GET /.well-known/resourcesync': 'everybody',
  'GET /description-:part.xml': 'everybody',
  'GET /sets/:set/capabilitylist.xml': 'who may read the set',
  'GET /sets/:set/resourcelist.xml': 'who may read the set',
  'GET /sets/:set/resourcelist-:name.xml': 'who may read the set',
  'GET /sets/:set/changelist.xml': 'who may read the set',
  'GET /sets/:set/changelist-recent.xml': 'who may read the set',
  'GET /sets/:set/changelist-:name.xml': 'who may read the set',
  'GET /sets/:set/resourcedump.xml': 'who may read the set',
  'GET /sets/:set/resourcedump-:part.xml': 'who may read the set',
  'GET /sets/:set/changelist-archive.xml': 'who may read the set',
  'GET /sets/:set/changelist-archive-:part.xml': 'who may read the set',
  'GET /sets/:set/resourcelist-archive.xml': 'who may read the set',
  'GET /sets/:set/resourcelist-archive-:part.xml': 'who may read the set',
  'GET /sets/:set/resourcelist-at-:time.xml': 'who may read the set',
  'GET /sets/:set/resourcedump-archive.xml': 'who may read the set',
  'GET /sets/:set/resourcedump-archive-:part.xml': 'who may read the set',
  'GET /sets/:set/resourcedump-at-:time.xml': 'who may read the set',
  'GET /sets/:set/sitemap.xml': 'who may read the set',
  'GET /sets/:set/sitemap-:name.xml': 'who may read the set',
  'GET /sets/:set/dumps/:file': 'who may read the set',
  'GET /sets/:set/resources/*path': 'who may read the set',
  'GET /oai.xsl': 'everybody',
  'GET /oai': 'everybody',
  'POST /oai': 'everybody',
  'GET /oai/:set': 'who may read the set',
  'POST /oai/:set': 'who may read the set',
  'GET /oai/:set/static.xml': 'who may read the set',
  'GET /sets/:set/changedump.xml': 'who may read the set',
  'GET /sets/:set/changedump-archive.xml': 'who may read the set',
  'GET /sets/:set/changedump-archive-:part.xml': 'who may read the set',
  'GET /sets/:set/changedump-of-:name.xml': 'who may read the set',
  'GET /sets/:set/changedump-:part.xml': 'who may read the set',
  'GET /sets/:set/changedumps/:file': 'who may read the set',
  'GET /sets/:set/versions/:datetime/*path': 'who may read the set',
  'GET /sets/:set/timegate/*path': 'who may read the set',
  'GET /sets/:set/timemap/*path': 'who may read the set',

  'GET /api/': 'everybody',
  'GET /api/reference/:group': 'everybody',
  'GET /api/openapi.json': 'everybody',
  'GET /api/sets': 'everybody',
  'GET /api/sets/:set': 'who may read the set',
  'POST /api/sets': 'administrators',
  'PATCH /api/sets/:set': 'administrators',
  'DELETE /api/sets/:set': 'administrators',
  'POST /api/sets/:set/scan': 'administrators',
  'GET /api/sets/:set/resources': 'who may read the set',
  'GET /api/sets/:set/resources.csv': 'who may read the set',
  'GET /api/sets/:set/changes.csv': 'who may read the set',
  'GET /api/sets/:set/resource': 'who may read the set',
  'GET /api/sets/:set/resource/history': 'who may read the set',
  'GET /api/sets/:set/changes': 'who may read the set',
  'GET /api/sets/:set/changes/stream': 'who may read the set',
  'GET /api/sets/:set/changes/latest': 'who may read the set',
  'GET /api/sets/:set/activity': 'who may read the set',
  'GET /api/sets/:set/postings': 'who may post to the set',
  'POST /api/sets/:set/changes': 'who may post to the set',
  'POST /api/sets/:set/s3-events': 'who may post to the set',
  'GET /api/sets/:set/archive': 'who may read the set',
  'GET /api/sets/:set/change-dump': 'who may read the set',
  'GET /api/sets/:set/dump': 'who may read the set',
  'POST /api/sets/:set/archive/keep': 'administrators',
  'POST /api/sets/:set/dump/build': 'administrators',
  'POST /api/sets/:set/dump/remove': 'administrators',
  'GET /api/sets/:set/pages': 'who may read the set',
  'POST /api/sets/:set/pages/:name/refresh': 'administrators',

  'GET /jobs': 'administrators',
  'GET /jobs/:kind/:job': 'administrators',
  'POST /jobs/:kind/:job/retry': 'administrators',
  'POST /jobs/:kind/:job/cancel': 'administrators',
  'GET /api/jobs': 'administrators',
  'GET /api/jobs/:kind/:job': 'administrators',
  'POST /api/jobs/:kind/:job/retry': 'administrators',
  'POST /api/jobs/:kind/:job/cancel': 'administrators',
  'GET /api/organizations': 'everybody',
  'POST /api/organizations': 'administrators',
  'GET /api/organizations/:org': 'who may read the organization',
  'PATCH /api/organizations/:org': 'who may manage the organization',
  'DELETE /api/organizations/:org': 'administrators',
  'GET /api/organizations/:org/streams': 'who may read the organization',
  'POST /api/organizations/:org/streams': 'who may manage the organization',
  'GET /api/organizations/:org/streams/:stream': 'who may read the organization',
  'PATCH /api/organizations/:org/streams/:stream': 'who may manage the organization',
  'DELETE /api/organizations/:org/streams/:stream': 'who may manage the organization',

  'GET /api/organizations/:org/dumps': 'who may read the organization',
  'POST /api/organizations/:org/dumps': 'who may manage the organization',

  'OPTIONS /api/organizations/:org/resumable-uploads': 'who may upload for the organization',
  'GET /api/organizations/:org/resumable-uploads': 'who may upload for the organization',
  'POST /api/organizations/:org/resumable-uploads': 'who may upload for the organization',
  'GET /api/organizations/:org/resumable-uploads/:upload': 'who may upload for the organization',
  'PATCH /api/organizations/:org/resumable-uploads/:upload': 'who may upload for the organization',
  'DELETE /api/organizations/:org/resumable-uploads/:upload': 'who may upload for the organization',
  'GET /api/organizations/:org/uploads': 'who may read the organization',
  'POST /api/organizations/:org/uploads': 'who may upload for the organization',
  'POST /organizations/:org/uploads': 'who may upload for the organization',
  'GET /api/organizations/:org/uploads/:stream/:number': 'who may read the organization',
  'GET /api/organizations/:org/uploads/:stream/:number/files/:position': 'who may read the organization',

  'GET /api/organizations/:org/uploads/:stream/:number/errors': 'who may read the organization',
  'GET /api/organizations/:org/uploads/:stream/:number/errors.csv': 'who may read the organization',
  'DELETE /api/organizations/:org/uploads/:stream/:number': 'who may manage the organization',
  'POST /api/organizations/:org/streams/:stream/process-again': 'who may manage the organization',
  'POST /api/organizations/:org/uploads/:stream/:number/retry': 'who may upload for the organization',

  'GET /api/organization-overview': 'who may manage an organization',
  'GET /api/organization-overview.csv': 'who may manage an organization',
  'GET /api/tokens': 'who may manage an organization',
  'POST /api/tokens': 'who may manage an organization',
  'POST /api/tokens/:id/revoke': 'who may manage an organization',

  'POST /hub': 'everybody',
  'GET /sets/:set/framework-notifications.xml': 'who may read the set',
  'GET /sets/:set/notifications.xml': 'who may read the set',
  'GET /subscriptions': 'administrators',
  'POST /subscriptions/:id/remove': 'administrators',
  'GET /api/subscriptions': 'administrators',
  'POST /api/subscriptions/:id/remove': 'administrators',

  'GET /metrics': 'who may read metrics',
  'GET /api/status': 'who may read metrics',
  'GET /healthz': 'everybody, also with a token that is not valid',
  'GET /readyz': 'everybody, also with a token that is not valid',
};

/** What a token may, and whether it is one. */
interface Sender {
  readonly scopes?: readonly Scope[];
  readonly isAdministrator?: boolean;
  readonly isRefused?: boolean;
  readonly reads?: boolean;
  readonly posts?: boolean;
  readonly uploads?: boolean;
  readonly manages?: boolean;
  readonly readsOrganizations?: boolean;
  readonly isAnonymous?: boolean;
}

const SENDERS = {
  anonymous: { isAnonymous: true },
  'the administrator': { isAdministrator: true },
  'the administrator, by a password': { isAdministrator: true },
  'a token to administer': { isAdministrator: true, scopes: ['administer'] },
  'a token to post': { posts: true, scopes: ['post:open', 'post:sealed'] },
  'a token to post, as a password': { posts: true, scopes: ['post:open', 'post:sealed'] },
  'a token to post to all': { posts: true, scopes: ['post:*'] },
  'a token to post to another set': { scopes: ['post:other'] },
  'a token to read': { reads: true, scopes: ['read:open', 'read:sealed'] },
  'a token to read all': { reads: true, readsOrganizations: true, scopes: ['read:*'] },
  'a token to read another set': { scopes: ['read:other'] },
  'a token to upload': { uploads: true, readsOrganizations: true, scopes: ['upload:open-lane', 'upload:sealed-lane'] },
  'a token to upload for all': { uploads: true, readsOrganizations: true, scopes: ['upload:*'] },
  'a token to upload for another organization': { scopes: ['upload:other'] },
  'a token to manage': {
    manages: true,
    uploads: true,
    readsOrganizations: true,
    scopes: ['manage:open-lane', 'manage:sealed-lane'],
  },
  'a token to manage all': { manages: true, uploads: true, readsOrganizations: true, scopes: ['manage:*'] },
  'a token to download': { readsOrganizations: true, scopes: ['download:sealed-lane'] },
  'a token to download from all': { readsOrganizations: true, scopes: ['download:*'] },
  // A set of the organization may have its id: that scope is for the set alone.
  'a token to download from another organization': { scopes: ['download:other', 'group:others', 'read:sealed-lane'] },
  'a token of a group of readers': { readsOrganizations: true, scopes: ['group:consortium'] },
  'a token for metrics': { scopes: ['metrics'] },
  'an expired token': { isRefused: true, scopes: ['administer'] },
  'a revoked token': { isRefused: true, scopes: ['administer'] },
  'a token with another secret': { isRefused: true, scopes: ['administer'] },
  'no token at all': { isRefused: true },
  'a way that is not known': { isRefused: true },
} as const satisfies Readonly<Record<string, Sender>>;
type SenderName = keyof typeof SENDERS;
const NAMES = Object.keys(SENDERS) as readonly SenderName[];

type Outcome = 'let in' | 'unauthorized' | 'forbidden' | `no such ${Subject}`;
/** What a path names, and its id, made of the slug of the test. */
const SUBJECTS = {
  set: (slug: string) => slug,
  organization: (slug: string) => `${slug}-lane`,
  collection: (slug: string) => `${slug}-maps`,
  dataset: (slug: string) => requestId(requestOf(slug)),
} as const;
type Subject = keyof typeof SUBJECTS;
/** Routes whose set is in the query. */
const SET_IN_QUERY = ['POST /datasets/', 'POST /api/datasets'];

// Two thousand requests, of which those that depend on the store are asked of each store in private-sets.test.ts and
// tokens.test.ts.
describe('Who may use a route', () => {
  let started: StartedApp;
  let repository: OaiServer;
  let routes: ReadonlyMap<string, Route>;
  const authorizations = new Map<SenderName, string | undefined>();
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });

  before(async () => {
    repository = await OaiServer.start();
    const settings = { token: new Secret('open-sesame'), harvestNetworks: ['127.0.0.1'] };
    started = await startApp(SQLITE, settings);
    const { collections, organizations } = started.app.records;
    const { sets } = started.app;
    const stopping = new AbortController();
    routes = new Map(routeTable(started.app, stopping.signal).map((route) => [nameOf(route), route]));
    const { datasets } = started.app;
    for (const slug of ['open', 'other']) await sets.add({ slug, origin: { kind: 'datasets' } });
    await sets.add({ slug: 'sealed', origin: { kind: 'datasets' }, private: true });
    for (const slug of ['open', 'sealed']) await datasets.add([requestOf(slug)], { set: slug });
    await organizations.add('open-lane', { contacts: [] });
    await organizations.add('sealed-lane', { contacts: [], private: true, readers: ['consortium'] });
    for (const id of ['open-lane', 'sealed-lane']) await organizations.addStream(id, 'main');
    for (const slug of ['open', 'sealed']) {
      const provider = `${slug}-lane`;
      await collections.add(`${slug}-maps`, { baseUrl: repository.url, format: 'oai_dc', provider });
    }
    for (const name of NAMES) authorizations.set(name, await authorizationOf(started, name));
  });

  after(() => {
    agent.destroy();
    return Promise.all([closeApps(), repository.close()]);
  });

  it('is declared for every route', () => {
    assert.deepEqual([...routes.keys()].sort(), Object.keys(RULES).sort());
  });

  for (const [name, rule] of Object.entries(RULES)) {
    it(`${name} is for ${rule}`, async () => {
      const slugs = namesSubject(name) ? ['open', 'sealed'] : ['none'];
      const asked = slugs.flatMap((slug) => NAMES.map((sender) => ({ slug, sender })));
      const outcomes = await Promise.all(
        asked.map(async ({ slug, sender }) => {
          const answer = await use(name, { slug, sender });
          return `${slug} by ${sender}: ${outcomeOf(answer, slug)}`;
        }),
      );
      const expected = asked.map(({ slug, sender }) => `${slug} by ${sender}: ${expectedOutcome(name, slug, sender)}`);
      assert.deepEqual(outcomes, expected);
    });
  }

  for (const path of new Set(Object.keys(RULES).map((name) => name.split(' ')[1]!))) {
    if (!namesSubject(path)) continue;
    const what = subjectOf(path);
    it(`${path} of a private ${what} answers as for one that never existed, unless the sender may read it`, async () => {
      for (const sender of ['anonymous', 'a token to read another set', 'a token to post to another set'] as const) {
        for (const method of ['GET', 'HEAD', 'PATCH', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const isOfPage = method === 'GET' || method === 'POST';
          for (const accept of isOfPage ? ['*/*', 'text/html'] : ['*/*']) {
            const [sealed, absent] = await Promise.all(
              ['sealed', 'absent'].map((slug) => askAt(path, { slug, sender, method, headers: { Accept: accept } })),
            );
            assert.deepEqual(plain(sealed!, 'sealed'), plain(absent!, 'absent'), `${method} by ${sender}`);
          }
        }
      }
    });
  }

  it('does not show whether a private set once existed', async () => {
    const { sets } = started.app;
    await sets.add({ slug: 'former', urlPrefix: 'https://data.example.org/', private: true });
    await sets.remove('former');
    const [former, absent] = await Promise.all(
      ['former', 'absent'].map((slug) => askAt('/api/sets/:set', { slug, sender: 'anonymous' })),
    );
    assert.deepEqual(plain(former!, 'former'), plain(absent!, 'absent'));
    assert.equal((await askAt('/api/sets/:set', { slug: 'former', sender: 'a token to read all' })).status, 410);
  });

  function use(name: string, { slug, sender }: { readonly slug: string; readonly sender: SenderName }) {
    const route = routes.get(name);
    assert.ok(route !== undefined, `there is no route ${name}`);
    const [type] = Object.keys(route.operation.body ?? {});
    const body = type === undefined ? {} : { body: '{}', headers: { 'Content-Type': type } };
    // A stream does not end, unless it is asked for in a way that is refused after admission.
    const ending = route.path.endsWith('/stream') ? { headers: { 'Last-Event-ID': 'none' } } : {};
    // A set must not be removed before all have asked: it is refused after admission.
    const query = SET_IN_QUERY.includes(name) ? `?set=${slug}` : '';
    const path = route.method === 'delete' ? `${route.path}?confirm=neither` : `${route.path}${query}`;
    return askAt(path, { slug, sender, method: route.method.toUpperCase(), ...body, ...ending });
  }

  function askAt(
    path: string,
    { slug, sender, headers, ...question }: Question & { readonly slug: string; readonly sender: SenderName },
  ): Promise<Answer> {
    const filled = path
      .replace(':set', slug)
      .replace(':org', `${slug}-lane`)
      .replace(':collection', `${slug}-maps`)
      .replace(':dataset', SUBJECTS.dataset(slug))
      .replace(':stream', 'main')
      .replace(':flavor', 'marcxml')
      .replace(':name', '1-00001')
      .replace(':id', '000000000000')
      .replace('*path', 'a.txt');
    const authorization = authorizations.get(sender);
    const shown = authorization === undefined ? {} : { Authorization: authorization };
    return ask(`${started.url}${filled}`, { ...question, agent, headers: { ...headers, ...shown } });
  }
});

function namesSubject(route: string): boolean {
  return /\/:(?:set|org|collection|dataset)/.test(route) || SET_IN_QUERY.includes(route);
}

function requestOf(slug: string) {
  return { ingest_type: 'dataset', base_url: `https://${slug}.example.org/` } as const;
}

function nameOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path}`;
}

async function authorizationOf({ app }: StartedApp, name: SenderName): Promise<string | undefined> {
  switch (name) {
    case 'anonymous':
      return undefined;
    case 'the administrator':
      return 'Bearer open-sesame';
    case 'the administrator, by a password':
      return basic('open-sesame');
    case 'no token at all':
      return 'Bearer tdm_0_0';
    case 'a way that is not known':
      return 'Digest username="admin"';
  }
  const { scopes } = SENDERS[name];
  const expires = name === 'an expired token' ? Date.now() + 1 : undefined;
  const { token, record } = await app.access.tokens.create({ name, scopes, expires });
  if (name === 'an expired token') await wait(2);
  if (name === 'a revoked token') await app.access.tokens.revoke(record.id);
  if (name === 'a token with another secret') return `Bearer ${token.slice(0, -4)}${'Zz-0'}`;
  return name.endsWith('password') ? basic(token) : `Bearer ${token}`;
}

function basic(password: string): string {
  return `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`;
}

/** Access as this test understands it; no line of it is the program's. */
function expectedOutcome(route: string, slug: string, name: SenderName): Outcome {
  const rule = RULES[route]!;
  const sender: Sender = SENDERS[name];
  if (rule === 'everybody, also with a token that is not valid') return 'let in';
  if (sender.isRefused) return 'unauthorized';
  // This test sends no header of a browser.
  if (rule === 'everybody, from a page of the server') return 'forbidden';
  if (sender.isAdministrator) return 'let in';
  const refused = sender.isAnonymous ? 'unauthorized' : 'forbidden';
  const isOfOrganization = ['organization', 'collection'].includes(subjectOf(route));
  const isSealed = slug === 'sealed' && !(isOfOrganization ? sender.readsOrganizations : sender.reads);
  const absent = `no such ${subjectOf(route)}` as const;
  switch (rule) {
    case 'everybody':
      return 'let in';
    case 'who may read the set':
    case 'who may read the organization':
    case 'who may read the collection':
      return isSealed ? absent : 'let in';
    case 'who may post to the set':
      if (sender.posts) return 'let in';
      return isSealed ? absent : refused;
    case 'who may upload for the organization':
      if (sender.uploads) return 'let in';
      return isSealed ? absent : refused;
    case 'who may manage the organization':
      if (sender.manages) return 'let in';
      return isSealed ? absent : refused;
    case 'who may manage an organization':
      return sender.manages ? 'let in' : refused;
    case 'administrators':
      return isSealed ? absent : refused;
    case 'who may read metrics':
      return name === 'a token for metrics' ? 'let in' : refused;
  }
}

/** What its path names. */
function subjectOf(route: string): Subject {
  if (route.includes('/:dataset')) return 'dataset';
  if (route.includes('/:collection')) return 'collection';
  return route.includes('/:org') ? 'organization' : 'set';
}

function outcomeOf({ status, headers, text }: Answer, slug: string): Outcome {
  assert.ok(status !== 500 && status !== 429, text);
  if (status === 401) {
    assert.match(
      headers['www-authenticate'] ?? '',
      /^Bearer realm="tidemark", Basic realm="tidemark", charset="UTF-8"$/,
    );
    return 'unauthorized';
  }
  if (status === 403) return 'forbidden';
  const absent = (Object.keys(SUBJECTS) as Subject[]).find((what) => {
    const named = what === 'dataset' ? 'request of a dataset with the id' : what;
    return text.includes(`there is no ${named} \\"${SUBJECTS[what](slug)}\\"`);
  });
  return status === 404 && absent !== undefined ? `no such ${absent}` : 'let in';
}

/** What a client sees, but for the slug, and for what is another one in each answer. */
function plain({ status, headers, text }: Answer, slug: string): object {
  const { date: _date, 'x-request-id': id, ...others } = headers;
  const same = (value: string) =>
    value.replaceAll(slug, 'SLUG').replaceAll(SUBJECTS.dataset(slug), 'SLUG').replaceAll(String(id), 'ID');
  return { status, headers: same(JSON.stringify(others)), text: same(text) };
}
