import assert from 'node:assert/strict';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const PREFIX = 'https://data.example.org/maps/';
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const PATCH = 'http://www.openarchives.org/rs/terms/patch';
const url = (value: string) => ({ value, type: 'url' });

describe('Links over HTTP', () => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
  });

  afterEach(closeApps);

  const read = async (path: string) => (await ask(started.url + path)).text;
  const post = async (...ln: readonly object[]) => {
    const event = { location: { value: 'a.tif', type: 'rel_path' }, change: 'updated', length: 5, md5: MD5, ln };
    return (await askJson(`${started.url}/api/sets/maps/changes`, { changes: [event] })).body;
  };

  it('are published with all that was posted of them, in the order of posting', async () => {
    const { applied } = await post(
      { rel: 'duplicate', href: url('https://mirror.example.org/a.tif'), pri: 1, length: 5, md5: MD5 },
      { rel: PATCH, href: { value: 'a.patch', type: 'rel_path' }, mime: 'text/x-diff', length: 7 },
      { rel: 'memento', href: url('https://old.example.org/1'), modified: '2026-01-31T12:00:00Z', hash: `md5:${MD5}` },
      { rel: 'via', href: url('https://origin.example.org/a?x=1&y=2'), modified: '2026-01-31T13:00:00+01:00' },
    );
    assert.equal(applied, 1);
    const duplicate = '<rs:ln rel="duplicate" href="https://mirror.example.org/a.tif" pri="1"/>';
    const patch = `<rs:ln rel="${PATCH}" href="${PREFIX}a.patch" length="7" type="text/x-diff"/>`;
    const others =
      `<rs:ln rel="memento" href="https://old.example.org/1" modified="2026-01-31T12:00:00Z" hash="md5:${MD5}"/>` +
      '<rs:ln rel="via" href="https://origin.example.org/a?x=1&amp;y=2" modified="2026-01-31T12:00:00Z"/>';
    const list = await read('/sets/maps/resourcelist.xml');
    assert.ok(list.includes(`length="5"/>${duplicate}${others}</url>`), list);
    const changes = await read('/sets/maps/changelist.xml');
    assert.ok(changes.includes(`length="5"/>${duplicate}${patch}${others}</url>`), changes);

    const { body } = await askJson(`${started.url}/api/sets/maps/resource?key=/a.tif`);
    assert.deepEqual(body.ln[0], { rel: 'duplicate', href: 'https://mirror.example.org/a.tif', pri: 1 });
    const [, , memento] = body.ln;
    assert.deepEqual([memento.modified, memento.hashes], ['2026-01-31T12:00:00Z', { md5: MD5 }]);
    const { text } = await ask(`${started.url}/sets/maps/resource?key=/a.tif`, { headers: { Accept: 'text/html' } });
    assert.match(text, /duplicate:.*mirror\.example\.org.*priority 1/s);
  });

  it('that break a rule are rejected by its section, and their event with them', async () => {
    const { results, rejected } = await post(
      { rel: 'describedby', href: url('https://example.org/a.xml') },
      { rel: 'duplicate', href: url('https://mirror.example.org/a.tif'), length: 6 },
    );
    assert.equal(rejected, 1);
    assert.deepEqual(results, [
      {
        status: 'rejected',
        code: 'not-a-duplicate',
        message:
          'ln[1].length contradicts that of the resource, of which a duplicate has the same bytes (ResourceSync 1.1, 14.2)',
        field: 'ln[1].length',
      },
    ]);
    assert.doesNotMatch(await read('/sets/maps/resourcelist.xml'), /a\.tif/);
  });
});
