import assert from 'node:assert/strict';
import type { Scope } from '../../src/access/scope.ts';
import { Secret } from '../../src/config/secret.ts';
import { OrganizationRegistry } from '../../src/records/organization-registry.ts';
import { StreamSets } from '../../src/records/stream-sets.ts';
import { ask, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };

// Who may use which route is in route-access.test.ts.
describeOnEachStore('A private organization', (store, itOnce) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    const { organizations } = started.app.records;
    await organizations.add('open', { title: 'The open one', contacts: [{ name: 'Ada', email: 'ada@example.org' }] });
    await organizations.addStream('open', 'main');
  });

  afterEach(closeApps);

  async function addSealed(): Promise<void> {
    const { organizations } = started.app.records;
    await organizations.add('sealed', { contacts: [], private: true, readers: ['consortium'] });
    await organizations.addStream('sealed', 'main');
    const answer = await postForm(
      `${started.url}/api/organizations/sealed/uploads`,
      [file('a.mrc', 'a')],
      ADMINISTRATOR,
    );
    assert.equal(answer.status, 201, answer.text);
  }

  const get = (path: string, headers: Record<string, string> = {}) => ask(`${started.url}${path}`, { headers });

  async function bearing(...scopes: readonly Scope[]): Promise<Record<string, string>> {
    const { token } = await started.app.access.tokens.create({ name: 'a reader', scopes });
    return { Authorization: `Bearer ${token}` };
  }

  const listed = async (headers: Record<string, string>) =>
    JSON.parse((await get('/api/organizations', headers)).text).organizations.map(
      ({ organization }: { organization: string }) => organization,
    );

  itOnce('is in no list of those who may not read it, nor is a name like it', async () => {
    const near = () => get('/api/organizations/seale');
    const before = (await near()).text.replace(/"requestId":"[^"]*"/, '');
    await addSealed();
    const anonymous = await get('/api/organizations');
    assert.doesNotMatch(anonymous.text, /sealed/);
    assert.match(anonymous.text, /The open one/);
    assert.equal((await near()).text.replace(/"requestId":"[^"]*"/, ''), before);
    assert.match((await get('/api/organizations/seale', ADMINISTRATOR)).text, /did you mean \\"sealed/);
    assert.deepEqual(await listed(await bearing('upload:open', 'download:open', 'post:*', 'metrics')), ['open']);
    assert.doesNotMatch((await get('/metrics', await bearing('metrics'))).text, /sealed/);
  });

  itOnce('is in no answer that a cache between may give to others', async () => {
    await addSealed();
    const lists = ['/api/organizations', '/organizations.json', '/organizations/', '/api/organization-overview'];
    const documents = ['/organizations/resourcelist', '/oai?verb=ListSets', '/api/organization-overview.csv'];
    for (const path of [...lists, ...documents]) {
      const { status, headers, text } = await get(path, ADMINISTRATOR);
      assert.equal(status, 200, path);
      assert.match(text, /sealed/, path);
      assert.match(headers['cache-control']!, /^private, /, path);
      assert.match(headers.vary!, /Authorization/, path);
    }
  });

  it('has private sets, also when another process that changes it is late', async () => {
    const { organizations } = started.app.records;
    const { catalog, sets } = started.app;
    const own = new StreamSets(sets);
    let isLate = true;
    const late = new OrganizationRegistry(catalog, {
      requireFree: (name) => own.requireFree(name),
      ensureDumps: (...args) => own.ensureDumps(...args),
      async ensure(organization, before) {
        if (isLate) {
          isLate = false;
          await organizations.change('open', { private: true, title: 'Closed' });
        }
        await own.ensure(organization, before);
      },
    });
    await late.change('open', { title: 'Open' });
    const { private: isPrivate, title } = await organizations.get('open');
    assert.deepEqual([isPrivate, title], [true, 'Closed']);
    for (const set of await sets.list()) assert.deepEqual([set.slug, set.private], [set.slug, true]);
    assert.equal((await sets.bySlug('open')).title, 'Closed: records');
  });

  itOnce('is read by its own tokens, and by those of a group that it names', async () => {
    await addSealed();
    const former = await bearing('group:consortium');
    for (const scopes of [['download:sealed'], ['upload:sealed'], ['group:consortium'], ['read:*']] as const) {
      const headers = await bearing(...scopes);
      assert.deepEqual(await listed(headers), ['open', 'sealed'], scopes[0]);
      const uploads = await get('/api/organizations/sealed/uploads', headers);
      assert.match(uploads.text, /a\.mrc/, scopes[0]);
      assert.match(uploads.headers['cache-control'] ?? '', /^private/);
      assert.equal((await get('/api/organizations/sealed/uploads/main/1/files/1', headers)).text, 'a');
      assert.doesNotMatch((await get('/api/organizations/sealed', headers)).text, /consortium/, scopes[0]);
    }
    const answer = await ask(`${started.url}/api/organizations/sealed`, {
      method: 'PATCH',
      headers: { ...ADMINISTRATOR, ...JSON_BODY },
      body: '{"readers":["partners"]}',
    });
    assert.deepEqual(JSON.parse(answer.text).readers, ['partners']);
    assert.equal((await get('/api/organizations/sealed', former)).status, 404);
  });

  itOnce('has sets as private as it is, also after a change, and for tokens that post to all (136)', async () => {
    await addSealed();
    const ownSets = async (headers: Record<string, string>): Promise<readonly string[]> =>
      JSON.parse((await get('/api/sets', headers)).text)
        .sets.map(({ set }: { set: string }) => set)
        .filter((set: string) => set.startsWith('sealed'));
    const [reader, other, ofOneSet] = [
      await bearing('group:consortium'),
      await bearing('group:partners', 'download:open', 'upload:open'),
      await bearing('read:sealed--main'),
    ];
    const all = await ownSets(ADMINISTRATOR);
    assert.ok(all.includes('sealed--main'), all.join());
    assert.deepEqual(await ownSets(reader), all);
    assert.deepEqual(await ownSets(other), []);
    assert.deepEqual(await ownSets(ofOneSet), ['sealed--main']);
    for (const path of ['/api/sets/sealed--main', '/sets/sealed--main/', '/sets/sealed--main/resourcelist.xml']) {
      assert.equal((await get(path, other)).status, 404, path);
      assert.notEqual((await get(path, reader)).status, 404, path);
    }
    for (const path of ['/', '/.well-known/resourcesync', '/api/sets', '/status', '/readyz']) {
      assert.doesNotMatch((await get(path, other)).text, /sealed/, path);
    }
    for (const scope of ['post:*', 'post:sealed'] as const) {
      const poster = await bearing(scope);
      const shapeOf = async (set: string) => {
        const { status, text } = await get(`/api/sets/${set}/postings`, poster);
        return [status, text.replaceAll(set, 'SET').replace(/"requestId":"[^"]*"/, '')];
      };
      assert.deepEqual(await shapeOf('sealed'), await shapeOf('none'), scope);
      assert.equal((await get('/sets/sealed/postings', poster)).status, 404, scope);
      assert.equal((await get('/api/sets/open/postings', poster)).status, scope === 'post:*' ? 200 : 403);
    }
    await started.app.records.organizations.addStream('sealed', 'later');
    assert.deepEqual(await ownSets(other), []);

    const opening = { method: 'PATCH', headers: { ...ADMINISTRATOR, ...JSON_BODY }, body: '{"private":false}' };
    const refused = await ask(`${started.url}/api/sets/sealed--main`, opening);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /the organization decides who may read its sets/);
    assert.equal((await ask(`${started.url}/api/organizations/sealed`, opening)).status, 200);
    assert.ok((await ownSets(other)).includes('sealed--later'));
    await ask(`${started.url}/api/organizations/sealed`, { ...opening, body: '{"private":true}' });
    assert.deepEqual(await ownSets(other), []);
    assert.deepEqual(await ownSets(reader), []);
  });

  itOnce('takes no uploads of those who may only read it, and a public one names its contacts alone', async () => {
    await addSealed();
    const reader = await bearing('group:consortium', 'download:sealed');
    for (const [headers, status] of [
      [reader, 403],
      [{}, 404],
    ] as const) {
      const answer = await postForm(`${started.url}/organizations/sealed/uploads`, [file('b.mrc', 'b')], headers);
      assert.equal(answer.status, status);
    }
    assert.doesNotMatch((await get('/api/organizations/open')).text, /ada@example/);
    assert.match((await get('/api/organizations/open')).text, /"Ada"/);
    assert.match((await get('/api/organizations/open', reader)).text, /ada@example/);
  });
});
