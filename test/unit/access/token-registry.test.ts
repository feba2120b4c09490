import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { TokenRegistry } from '../../../src/access/token-registry.ts';
import type { Catalog } from '../../../src/stores/catalog.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { describeOnEachStore, type StorePlace } from '../../support/each-store.ts';
import { until } from '../../support/until.ts';

describeOnEachStore('a registry of tokens', (store) => {
  let folder: string;
  let place: StorePlace;
  let opened: Stores[];
  /** Of two processes. */
  let tokens: TokenRegistry;
  let others: TokenRegistry;
  /** How often `others` has asked its store. */
  let asked: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder, { mayBeMade: true });
    opened = [await openStores(place.location), await openStores(place.location)];
    asked = 0;
    tokens = new TokenRegistry(opened[0]!.catalog);
    others = new TokenRegistry(
      counting(opened[1]!.catalog, () => {
        asked += 1;
      }),
    );
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  const make = (name = 'harvester') => tokens.create({ name, scopes: ['post:papers'] });

  it('shows a token to every process as soon as it is made', async () => {
    assert.equal(await others.areKept(), false);
    const { token, record } = await make();
    assert.match(token, /^tdm_[0-9a-f]{12}_[\w-]{43}$/);
    assert.deepEqual(await others.show(token), { state: 'valid', record });
    assert.equal(await others.areKept(), true);
    assert.deepEqual(await others.list(), [record]);
  });

  it('keeps nothing that gives access', async () => {
    const { token } = await make();
    const kept = JSON.stringify(await opened[0]!.catalog.list('token'));
    assert.ok(!kept.includes(token.slice(17)));
    const { digest } = (await tokens.list())[0]!;
    assert.equal((await tokens.show(digest)).state, 'unknown');
    assert.equal((await tokens.show(`${token.slice(0, 17)}${digest.slice(0, 43)}`)).state, 'unknown');
  });

  it('refuses a token that was revoked elsewhere', async () => {
    const { token, record } = await make();
    const kept = await make('another');
    assert.equal((await others.show(token)).state, 'valid');
    await tokens.revoke(record.id);
    assert.equal((await tokens.show(token)).state, 'revoked');
    await until('the token is refused', async () => (await others.show(token)).state === 'revoked');
    assert.equal((await others.show(kept.token)).state, 'valid');
    const listed = (await others.list()).find(({ id }) => id === record.id);
    assert.deepEqual(await tokens.revoke(record.id), listed);
    await assert.rejects(tokens.revoke('000000000000'), { code: 'not-found' });
  });

  it('knows for an hour what it read last, without asking the store', async () => {
    const { token, record } = await make();
    await assert.rejects(others.lastRead.show(token), { code: 'unavailable' });
    await assert.rejects(others.lastRead.areKept(), { code: 'unavailable' });
    await others.areKept();
    const before = asked;
    const unseen = await make('another');
    await tokens.revoke(record.id);
    assert.deepEqual(await others.lastRead.show(token), { state: 'valid', record });
    assert.equal((await others.lastRead.show(unseen.token)).state, 'unknown');
    assert.equal((await others.lastRead.show(`${token.slice(0, -1)}~`)).state, 'unknown');
    assert.equal(await others.lastRead.areKept(), true);
    assert.equal(asked, before);
    const later = performance.now() + 3_600_000;
    try {
      mock.method(performance, 'now', () => later);
      await assert.rejects(others.lastRead.show(token), { code: 'unavailable' });
      await assert.rejects(others.lastRead.areKept(), { code: 'unavailable' });
    } finally {
      mock.restoreAll();
    }
    await others.list();
    assert.equal((await others.lastRead.show(token)).state, 'revoked');
  });

  it('asks the store once a second at most for tokens that it knows, and never by itself', async () => {
    const { token } = await make();
    await others.show(token);
    const before = asked;
    const began = performance.now();
    for (let count = 0; count < 200; count++) assert.equal((await others.show(token)).state, 'valid');
    const seconds = (performance.now() - began) / 1000;
    assert.ok(asked - before <= 1 + seconds, `${asked - before} requests in ${seconds} s`);
  });

  it('asks the store once for many requests with unknown tokens', async () => {
    await others.areKept();
    const before = asked;
    const unknown = `tdm_${'0'.repeat(12)}_${'A'.repeat(43)}`;
    const shown = await Promise.all(Array.from({ length: 100 }, () => others.show(unknown)));
    assert.ok(shown.every(({ state }) => state === 'unknown'));
    assert.ok(asked - before <= 4, `${asked - before} requests`);
    const malformed = asked;
    for (const text of ['', 'tdm_', 'open-sesame', `${unknown}A`, `tdm_../../${unknown}`]) {
      assert.equal((await others.show(text)).state, 'unknown');
    }
    assert.equal(asked, malformed);
  });

  it('keeps limits, and a time at which a token expires', async () => {
    const expires = Date.now() + 3_600_000;
    const limits = { requestsPerMinute: 10, bodyBytesPerMinute: null };
    const { record } = await tokens.create({ name: ' a  name ', scopes: ['read:*', 'read:*'], limits, expires });
    const [kept] = await others.list();
    assert.deepEqual(kept, record);
    assert.deepEqual([kept?.name, kept?.scopes, kept?.limits, kept?.expires], ['a  name', ['read:*'], limits, expires]);
    assert.equal(await others.countValid(), 1);
  });

  it('has a bearer for a token as long as it is valid', async () => {
    const soon = Date.now() + 3_600_000;
    const { record } = await tokens.create({ name: 'a', scopes: ['read:*'], limits: {}, expires: soon });
    const revoked = (await make()).record;
    const bearer = { kind: 'token', id: record.id, name: 'a', scopes: ['read:*'], limits: {}, expires: soon };
    assert.deepEqual(await tokens.bearer(record.id), bearer);
    await tokens.revoke(revoked.id);
    assert.deepEqual([await tokens.bearer(revoked.id), await tokens.bearer('000000000000')], [undefined, undefined]);
    try {
      mock.method(Date, 'now', () => soon);
      assert.equal(await tokens.bearer(record.id), undefined);
      assert.equal(await tokens.countValid(), 0);
    } finally {
      mock.restoreAll();
    }
  });

  it('takes no scope that is none, and no limit that is not a whole number above 0', async () => {
    const wrong = [
      { scopes: ['read:../etc' as const] },
      { scopes: ['admin' as 'administer'] },
      { limits: { requestsPerMinute: 0 } },
      { limits: { bodyBytesPerMinute: Number.POSITIVE_INFINITY } },
    ];
    for (const given of wrong) {
      await assert.rejects(tokens.create({ name: 'a', scopes: ['metrics'], ...given }), { code: 'invalid' });
    }
    assert.deepEqual(await others.list(), []);
  });

  it('takes no name that is not one line of text', async () => {
    for (const name of ['', ' ', 'a\nb', 'a\u0000', '\u202e', 'x'.repeat(101)]) {
      await assert.rejects(tokens.create({ name, scopes: ['administer'] }), { code: 'invalid' });
    }
    await assert.rejects(tokens.create({ name: 'a', scopes: [] }), { code: 'invalid' });
    assert.deepEqual(await tokens.list(), []);
  });
});

/** The same catalog, which counts how often it is asked. */
function counting(catalog: Catalog, onAsked: () => void): Catalog {
  return {
    get(kind, id) {
      onAsked();
      return catalog.get(kind, id);
    },
    latest(kind, prefix, page) {
      onAsked();
      return catalog.latest(kind, prefix, page);
    },
    put(kind, id, body, replaces) {
      onAsked();
      return catalog.put(kind, id, body, replaces);
    },
    head(kind) {
      onAsked();
      return catalog.head(kind);
    },
    list(kind, after) {
      onAsked();
      return catalog.list(kind, after);
    },
  };
}
