import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { madeTokenSchema, tokensSchema } from '../../src/http/routes/token-routes.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = bearer('open-sesame');

describeOnEachStore('Those who manage an organization (134)', (store) => {
  let started: StartedApp;
  let manager: { Authorization: string };
  afterEach(closeApps);

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    for (const id of ['lane', 'sul']) await started.app.records.organizations.add(id, { contacts: [], private: true });
    manager = bearer((await make(ADMINISTRATOR, { scopes: ['manage:lane'], expires: '30d' })).body.token);
  });

  const make = async (headers: { Authorization: string }, token: object) => {
    const answer = await askJson(`${started.url}/api/tokens`, { name: 'a token', ...token }, headers);
    return { ...answer, body: answer.body as { token: string; id: string } & Record<string, unknown> };
  };
  const listed = async (headers: { Authorization: string }) => {
    const answer = await askJson(`${started.url}/api/tokens`, undefined, headers);
    return tokensSchema.parse(answer.body).tokens;
  };
  const revoke = (id: string) => ask(`${started.url}/api/tokens/${id}/revoke`, { method: 'POST', headers: manager });

  it('make, see and revoke tokens of it, and know of no others', async () => {
    const other = await make(ADMINISTRATOR, { scopes: ['upload:sul'] });
    const both = await make(ADMINISTRATOR, { scopes: ['upload:lane', 'upload:sul'] });
    const own = madeTokenSchema.parse((await make(manager, { scopes: ['upload:lane'] })).body);

    const seen = await listed(manager);
    assert.deepEqual(
      seen.map(({ scopes }) => scopes),
      [['manage:lane'], ['upload:lane']],
    );
    const { text: page } = await ask(`${started.url}/tokens`, { headers: { Accept: 'text/html', ...manager } });
    assert.match(page, /upload:lane/);
    assert.doesNotMatch(page, /sul/);
    assert.equal(own.madeBy, seen[0]!.id);
    assert.equal(own.expires, seen[0]!.expires, 'it expires with its maker');
    for (const { body } of [other, both]) assert.equal((await revoke(body.id)).status, 404);
    assert.equal((await revoke(own.id)).status, 200);
    assert.equal((await ask(`${started.url}/api/organizations/lane`, { headers: bearer(own.token) })).status, 401);
    assert.equal((await listed(ADMINISTRATOR)).length, 4);
  });

  it('are refused what they do not have, with the scope named', async () => {
    for (const scope of ['administer', 'manage:*', 'upload:sul', 'read:lane']) {
      const { status, body } = await make(manager, { scopes: [scope] });
      assert.equal(status, 403, scope);
      assert.match(JSON.stringify(body), new RegExp(scope.replace('*', '\\*')));
    }
    assert.equal((await make(manager, { scopes: ['upload:absent'] })).status, 403);
    assert.equal((await make(manager, { scopes: ['upload:lane'], expires: '60d' })).status, 400);
    assert.equal((await make(manager, { scopes: ['upload:lane'], requestsPerMinute: 5 })).status, 400);
  });

  it('change it, and see who may read it', async () => {
    const at = `${started.url}/api/organizations`;
    const changed = await ask(`${at}/lane`, {
      method: 'PATCH',
      body: JSON.stringify({ title: 'Lane', readers: ['consortium'] }),
      headers: { 'Content-Type': 'application/json', ...manager },
    });
    assert.equal(changed.status, 200, changed.text);
    const shown = await askJson(`${at}/lane`, undefined, manager);
    assert.deepEqual([shown.body.title, shown.body.readers], ['Lane', ['consortium']]);
    assert.equal((await ask(`${at}/sul`, { headers: manager })).status, 404);

    const messages = { url: 'https://lane.example/messages?key=1', secret: 'the key of lane' };
    await started.app.records.organizations.change('lane', { messages });
    const seenBy = async (headers: { Authorization: string }) =>
      (await askJson(`${at}/lane`, undefined, headers)).body.messages;
    assert.deepEqual(await seenBy(manager), { url: messages.url, signed: true, mail: false, errors: false });
    const { body: uploading } = await make(ADMINISTRATOR, { scopes: ['upload:lane', 'manage:sul'] });
    assert.equal(await seenBy(bearer(uploading.token)), undefined);
    const added = await askJson(at, { organization: 'third' }, manager);
    assert.equal(added.status, 403);
  });
});

function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
