import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const URL_PREFIX = 'https://data.example.org/maps/';

describe('The log of the server', () => {
  afterEach(closeApps);

  it('names who did what as an administrator, by forms and by the API, and no secret', async () => {
    const log = new PassThrough();
    const { app, url } = await startApp(SQLITE, { token: new Secret('the-administrator') }, { logger: pino(log) });
    const { token, record } = await app.access.tokens.create({ name: 'Ada', scopes: ['administer'] });
    const ada = { Authorization: `Bearer ${token}` };
    const form = (path: string, body: Record<string, string> = {}, headers: Record<string, string> = ada) =>
      ask(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: url, ...headers },
        body: new URLSearchParams(body).toString(),
      });
    await askJson(`${url}/api/sets`, { set: 'maps', urlPrefix: URL_PREFIX }, ada);
    const signedIn = await form('/sign-in', { token: 'the-administrator' }, {});
    const cookie = { Cookie: String(signedIn.headers['set-cookie']).split(';')[0]! };
    await form('/tokens', { name: 'Reading room', scopes: 'read:*' }, cookie);
    const made = (await app.access.tokens.list()).find(({ name }) => name === 'Reading room')!;
    await form(`/tokens/${made.id}/revoke`);
    await app.jobs.queue.add('build', 'waiting', {});
    await form('/jobs/build/waiting/cancel');
    await form('/sets/maps/remove', { confirm: 'no' });
    await form('/sets/maps/remove', { confirm: 'maps' });
    await ask(`${url}/api/sets/none`, { method: 'DELETE' });
    await closeApps();
    log.end();
    const lines = (await text(log)).trim().split('\n');
    const said = lines
      .map((line) => JSON.parse(line).msg as string)
      .filter((line) => line.startsWith('administration'));
    const by = `by token Ada (${record.id})`;
    assert.deepEqual(said, [
      `administration: addSet maps, ${by}`,
      `administration: createToken Reading room (${made.id}), by administrator, signed in`,
      `administration: revokeToken ${made.id}, ${by}`,
      `administration: cancelJob build/waiting, ${by}`,
      `administration: removeSet maps, ${by}`,
    ]);
    assert.ok(!lines.join().includes(token));
  });
});
