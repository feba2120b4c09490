import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const PREFIX = 'https://data.example.org/papers/';

describeOnEachStore('Sets over HTTP', (store, itOnce) => {
  let started: StartedApp;
  afterEach(closeApps);

  const remove = (set: string, query = '') => ask(`${started.url}/api/sets/${set}${query}`, { method: 'DELETE' });

  it('are added with their settings, and removed for good once they have changes', async () => {
    started = await startApp(store);
    const { status, headers, body } = await askJson(`${started.url}/api/sets`, {
      set: 'papers',
      urlPrefix: PREFIX,
      title: 'Papers',
      pageSize: 7,
      aliases: null,
    });
    assert.deepEqual([status, headers.location], [201, 'sets/papers']);
    assert.deepEqual(
      [body.set, body.title, body.pageSize, body.urlPrefix, body.ready],
      ['papers', 'Papers', 7, PREFIX, true],
    );
    const changes = [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }];
    assert.equal((await askJson(`${started.url}/api/sets/papers/changes`, { changes })).body.applied, 1);

    const refused = await remove('papers');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /the set papers has 1 change: clients lose it for good/);
    const removed = await remove('papers', '?confirm=yes');
    assert.deepEqual([removed.status, JSON.parse(removed.text)], [200, { removed: 'papers', canBeUsedAgain: false }]);
    for (const path of ['/api/sets/papers', '/sets/papers/resourcelist.xml']) {
      assert.equal((await ask(started.url + path)).status, 410, path);
    }
    assert.equal((await askJson(`${started.url}/api/sets`, { set: 'papers', urlPrefix: PREFIX })).status, 409);
  });

  itOnce('can have the id of one that never had a change', async () => {
    started = await startApp(store);
    for (let times = 0; times < 2; times++) {
      assert.equal((await askJson(`${started.url}/api/sets`, { set: 'papers', urlPrefix: PREFIX })).status, 201);
      assert.equal(JSON.parse((await remove('papers')).text).canBeUsedAgain, true);
    }
  });

  itOnce('are refused with what is wrong', async () => {
    started = await startApp(store);
    for (const [value, status, message] of [
      [{ set: 'papers' }, 400, /a set needs a root/],
      [{ set: 'Papers!', urlPrefix: PREFIX }, 400, /Papers!/],
      [{ set: 'papers', urlPrefix: 'ftp://example.org/' }, 400, /is not a URL prefix/],
      [{ set: 'papers', records: 'cdl' }, 400, /use PROVIDER\/ACTIVITY/],
      [{ set: 'papers', urlPrefix: PREFIX, pageSize: 0 }, 400, /pageSize is wrong/],
      [{ set: 'papers', urlPrefix: PREFIX, colour: 'red' }, 400, /there is no field "colour" here: there are set, /],
      [{ urlPrefix: PREFIX }, 400, /set is missing/],
    ] as const) {
      const { status: answered, body } = await askJson(`${started.url}/api/sets`, value);
      assert.equal(answered, status, JSON.stringify(value));
      assert.match(body.error.message, message);
    }
    assert.deepEqual(await started.app.sets.list(), []);
  });

  itOnce('are refused with the name that the API has for the field that is wrong', async () => {
    const outer = await startApp(store);
    const root = await makeFolder(outer, 'shown');
    started = await startApp(store, { apiRoots: [root] });
    const fieldOf = async (value: object) => {
      const { status, body } = await askJson(`${started.url}/api/sets`, { set: 'refused', ...value });
      return [status, body.error?.field];
    };
    for (const [field, value] of [
      ['keepVersions', true],
      ['versionsDays', 9],
      ['dumpSchedule', '0 3 * * *'],
      ['dumpPackageBytes', 9],
      ['dumpCompression', 'none'],
      ['fromInterval', 9],
      ['exclude', ['*.tmp']],
      ['links', ['*.xml describes *.tif']],
      ['presignedSeconds', 9],
    ] as const) {
      assert.deepEqual(await fieldOf({ urlPrefix: PREFIX, [field]: value }), [400, field]);
    }
    assert.deepEqual(await fieldOf({ records: 'cdl/harvest', versionsDays: 9 }), [400, 'versionsDays']);
    assert.deepEqual(await fieldOf({ root, links: ['*.xml explains *.tif'] }), [400, 'links']);
    assert.deepEqual(await fieldOf({ root: join(root, 'none') }), [400, 'root']);
  });

  itOnce('publish only folders and buckets below those of the settings, and say nothing of others', async () => {
    const allowed = 's3://papers/2026?endpoint=http://127.0.0.1:1&anonymous=true';
    const outer = await startApp(store);
    const root = await makeFolder(outer, 'shown');
    started = await startApp(store, { apiRoots: [root, allowed] });
    await mkdir(join(root, 'papers'));
    await symlink(outer.folder, join(root, 'outside'));
    await symlink('/etc', join(root, 'etc'));
    const add = async (given: string) => {
      return (await askJson(`${started.url}/api/sets`, { set: `s${Math.random()}`.slice(0, 12), root: given })).body;
    };
    for (const given of [root, join(root, 'papers')]) assert.equal((await add(given)).error, undefined, given);
    for (const given of [allowed, 's3://papers/2026/maps?endpoint=http://127.0.0.1:1&anonymous=true']) {
      const { error } = await add(given);
      assert.match(error.message, /^the root s3:.*ECONNREFUSED.*The set was not added$/, 'it was asked for');
      assert.deepEqual([error.code, error.field], ['invalid', 'root']);
    }
    for (const given of [
      outer.folder,
      '/etc',
      '/none',
      'papers',
      `${root}-2`,
      join(root, '..'),
      join(root, 'etc'),
      join(root, 'outside'),
      's3://papers/2025?endpoint=http://127.0.0.1:1&anonymous=true',
      's3://papers/20261?endpoint=http://127.0.0.1:1&anonymous=true',
      's3://papers/2026?endpoint=http://169.254.169.254&anonymous=true',
      's3://papers/2026',
      's3://other/2026?endpoint=http://127.0.0.1:1&anonymous=true',
    ]) {
      assert.match(
        (await add(given)).error?.message ?? 'it was added',
        /^this server may not publish that root/,
        given,
      );
    }
    assert.match((await add(join(root, 'none'))).error.message, /there is no folder/);
  });

  itOnce('are added, scanned and removed by administrators only', async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    const { token } = await started.app.access.tokens.create({
      name: 'poster',
      scopes: ['post:*', 'read:*', 'metrics'],
    });
    for (const [method, path] of [
      ['POST', '/api/sets'],
      ['DELETE', '/api/sets/papers?confirm=yes'],
      ['POST', '/api/sets/papers/scan'],
    ] as const) {
      const body = method === 'POST' ? { body: '{}' } : {};
      const asked = async (headers: Record<string, string>) => {
        return (await ask(started.url + path, { method, ...body, headers: { ...JSON_BODY, ...headers } })).status;
      };
      assert.equal(await asked({ Authorization: `Bearer ${token}` }), 403, path);
      assert.equal(await asked({}), 401, path);
      const foreign = { Authorization: 'Bearer open-sesame', Origin: 'https://evil.example.org' };
      assert.equal(await asked(foreign), 403, path);
    }
    assert.equal((await started.app.sets.list()).length, 1);
  });

  itOnce('are scanned when a person asks for it, unless changes are posted to them', async () => {
    started = await startApp(store);
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    const { status, body } = await askJson(`${started.url}/api/sets/papers/scan`, {});
    assert.deepEqual(
      [status, body.error.message],
      [409, 'the set "papers" has no source to scan: its changes are posted'],
    );
  });
});

describe('A set that is added to a server', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('is read soon, and compared again when a person asks for it', async () => {
    const root = join(place.folder, 'files');
    await mkdir(root);
    await writeFile(join(root, 'a.txt'), 'a');
    const port = await findFreePort();
    const running = place.startProcess(['serve', '--port', String(port), '--api-roots', root, '--access-log', 'false']);
    await running.says(/Serving|"serving"/);
    const url = `http://localhost:${port}`;
    assert.equal((await askJson(`${url}/api/sets`, { set: 'files', root })).status, 201);
    await until('the set is read', async () => (await askJson(`${url}/api/sets/files`)).body.ready === true);
    assert.equal((await ask(`${url}/sets/files/resources/a.txt`)).text, 'a');
    const memories = () => openFilesOf(running.pid).filter((file) => file.includes('/data/roots/'));
    if (process.platform === 'linux') assert.notDeepEqual(memories(), []);

    const scans = () => (running.stdout + running.stderr).match(/"extent":"full"/g)?.length ?? 0;
    await until('the first scan is logged', async () => scans() === 1);
    assert.equal((await askJson(`${url}/api/sets/files/scan`, {})).status, 202);
    await until('it is scanned again', async () => scans() === 2);
    assert.equal((await ask(`${url}/api/sets/files?confirm=yes`, { method: 'DELETE' })).status, 200);
    assert.equal((await ask(`${url}/sets/files/resources/a.txt`)).status, 410);
    await until('what scans remember is closed', async () => memories().length === 0);
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
  });

  it('publishes its versions again after they were switched off and on in quick succession', async () => {
    const root = join(place.folder, 'files');
    await mkdir(root);
    await writeFile(join(root, 'a.txt'), 'a');
    const port = await findFreePort();
    const running = place.startProcess(['serve', '--port', String(port), '--api-roots', root, '--access-log', 'false']);
    await running.says(/Serving|"serving"/);
    const set = `http://localhost:${port}/api/sets/files`;
    const added = await askJson(`http://localhost:${port}/api/sets`, { set: 'files', root, keepVersions: true });
    assert.equal(added.status, 201);
    await until('the set is read', async () => (await askJson(set)).body.ready === true);
    const timegate = async () => (await ask(`http://localhost:${port}/sets/files/timegate/a.txt`)).status;
    assert.equal(await timegate(), 302);
    // Twice: the server must not take a scan that it has done for the one that the last change needs.
    for (const _ of [1, 2]) {
      for (const keepVersions of [false, true]) {
        const body = JSON.stringify({ keepVersions });
        assert.equal((await ask(set, { method: 'PATCH', headers: JSON_BODY, body })).status, 200);
      }
      await until('its versions are published', async () => (await timegate()) === 302);
    }
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
  });
});

/** The paths of the files that a process has open; none where there is no /proc. */
function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  if (process.platform !== 'linux') return [];
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(join(folder, fd))];
    } catch {
      return [];
    }
  });
}
