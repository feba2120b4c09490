import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { routeTable } from '../../src/http/routes/route-table.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

/** What no token below may read; `absent` does not exist. Both names have the same length. */
const SEALED = 'sealed';
const ABSENT = 'absent';
/** Scopes of every kind, none of which permits to read the private organization. */
const SCOPES = [
  ['post:*'],
  [`post:${SEALED}`, `post:${ABSENT}`],
  ['read:open'],
  ['upload:open'],
  ['download:open'],
  ['manage:open'],
  ['group:partners'],
  ['metrics'],
] as const;
/** Values of the other parameters of paths. */
const VALUES: Readonly<Record<string, string>> = { stream: 'main', number: '1' };

interface NamedRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
}

describe('A private organization and one that does not exist (136)', () => {
  let started: StartedApp;

  before(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame') });
    const { organizations } = started.app.records;
    await organizations.add('open', { contacts: [], private: true, readers: ['partners'] });
    await organizations.addStream('open', 'main');
    await organizations.add(SEALED, { title: 'A secret', contacts: [], private: true, readers: ['consortium'] });
    await organizations.addStream(SEALED, 'main');
    const headers = { Authorization: 'Bearer open-sesame' };
    const sent = await postForm(`${started.url}/api/organizations/${SEALED}/uploads`, [file('a.mrc', 'a')], headers);
    assert.equal(sent.status, 201, sent.text);
  });

  after(closeApps);

  /** Each route of an organization and of a set, for a name. */
  function routesOf(name: string): readonly NamedRoute[] {
    return routeTable(started.app, new AbortController().signal)
      .filter(({ path }) => /:(org|set)\b/.test(path))
      .map(({ method, path }) => ({
        method: method.toUpperCase() as NamedRoute['method'],
        path: path.replace(/:(org|set)\b/, name).replace(/:([a-z]+)/gi, (_, other: string) => VALUES[other] ?? '1'),
      }));
  }

  async function shapeOf(
    { method, path }: NamedRoute,
    name: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { status, text, headers: answered } = await ask(`${started.url}${path}`, { method, headers });
    const shown = text.replaceAll(String(answered['x-request-id']), 'REQUEST').replaceAll(name, 'NAME');
    return JSON.stringify([status, answered['content-type'], answered['cache-control'], shown]);
  }

  for (const scopes of [[], ...SCOPES]) {
    it(`have the same answer at each route for ${scopes.join(' and ') || 'a client without a token'}`, async () => {
      const headers: Record<string, string> = {};
      if (scopes.length > 0) {
        const { token } = await started.app.access.tokens.create({ name: 'a reader', scopes: [...scopes] });
        headers.Authorization = `Bearer ${token}`;
      }
      const absent = routesOf(ABSENT);
      const sealed = routesOf(SEALED);
      assert.ok(sealed.length > 100, `${sealed.length} routes`);
      for (const [at, route] of sealed.entries()) {
        const seen = await shapeOf(route, SEALED, headers);
        assert.equal(seen, await shapeOf(absent[at]!, ABSENT, headers), `${route.method} ${route.path}`);
      }
    });
  }

  it('have different answers for an administrator', async () => {
    const headers = { Authorization: 'Bearer open-sesame' };
    for (const path of ['/sets/NAME/postings', '/api/organizations/NAME', '/organizations/NAME/resourcelist']) {
      const [sealed, absent] = [SEALED, ABSENT].map((name) =>
        shapeOf({ method: 'GET', path: path.replace('NAME', name) }, name, headers),
      );
      assert.notEqual(await sealed, await absent, path);
    }
  });
});
