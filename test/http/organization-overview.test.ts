import assert from 'node:assert/strict';
import type { Scope } from '../../src/access/scope.ts';
import { overviewSchema } from '../../src/api/overview-view.ts';
import { Secret } from '../../src/config/secret.ts';
import { uploadId } from '../../src/records/arrivals/upload.ts';
import { dumpId } from '../../src/records/dumps/stored-stream-dump.ts';
import { Overview } from '../../src/records/overview/overview.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };
const DAY_MS = 86_400_000;

describeOnEachStore('The overview of organizations (134)', (store, itOnce) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    const { organizations } = started.app.records;
    await organizations.add('lane', { contacts: [], title: 'Lane, =the library' });
    await organizations.add('sealed', { contacts: [], private: true });
    await organizations.add('quiet', { contacts: [] });
  });
  afterEach(closeApps);

  const rows = async (query = '', headers: Record<string, string> = ADMINISTRATOR) => {
    const { body } = await askJson(`${started.url}/api/organization-overview${query}`, undefined, headers);
    return overviewSchema.parse(body).organizations;
  };
  const upload = (organization: string) =>
    postForm(`${started.url}/api/organizations/${organization}/uploads`, [file('a.mrc', '12345')], ADMINISTRATOR);
  const settle = async (organization: string, number: number, state: object) => {
    const { catalog } = started.app;
    const id = uploadId(organization, 'main', number);
    const before = await catalog.get('upload-state', id);
    await catalog.put('upload-state', id, state, before?.version);
  };
  const applied = { at: Date.now(), created: 1, updated: 0, deleted: 0, unchanged: 0, superseded: 0 };
  const failure = (at: number) => ({ failure: { at, error: 'it is empty', isFinal: true } });

  it('has last upload, failures, waiting, dumps and size of each, and follows what changes', async () => {
    for (let number = 1; number <= 4; number++) await upload('lane');
    await settle('lane', 1, { applied });
    await settle('lane', 2, failure(Date.now()));
    await settle('lane', 3, failure(Date.now() - 31 * DAY_MS));
    const lane = async () => (await rows()).find(({ organization }) => organization === 'lane')!;
    const found = await lane();
    assert.deepEqual([found.failures, found.waiting, found.bytes], [1, 1, 20]);
    assert.deepEqual(found.days, [...Array.from({ length: 29 }, () => 0), 4]);
    assert.deepEqual([found.lastUpload?.stream, found.lastUpload?.number], ['main', 4]);
    assert.equal(found.lastUpload?.by?.name, 'administrator');
    assert.equal(found.lastFullDump, undefined);

    await settle('lane', 2, { applied });
    await settle('lane', 4, failure(Date.now()));
    const dump = { organization: 'lane', number: 1, at: Date.now(), files: [{ length: 100 }] };
    await started.app.catalog.put('stream-dump', dumpId(dump), { ...dump, kind: 'full' }, undefined);
    const later = await lane();
    assert.deepEqual([later.failures, later.waiting, later.bytes], [1, 0, 120]);
    assert.equal(later.lastFullDump, new Date(dump.at).toISOString());
  });

  it('is right whatever a server has read before, and in which order', async () => {
    const { app } = started;
    await rows();
    await Promise.all(Array.from({ length: 5 }, () => upload('lane')));
    await Promise.all(
      [1, 2, 3, 4, 5].map(async (number) => {
        await settle('lane', number, number < 4 ? { applied } : failure(Date.now()));
        await rows();
      }),
    );
    const seen = await app.records.overview.read();
    assert.deepEqual([seen[0]?.failed, seen[0]?.waiting], [2, 0]);
    // As by another process, which reads all of it at once.
    assert.deepEqual(await new Overview({ ...app, ...app.records }).read(), seen);
  });

  it('reads no document of an upload again that was read when the server started', async () => {
    const { app } = started;
    await upload('lane');
    const listed: string[] = [];
    const catalog: Pick<typeof app.catalog, 'head' | 'list'> = {
      head: (kind) => app.catalog.head(kind),
      list: (kind, ...range) => {
        listed.push(kind);
        return app.catalog.list(kind, ...range);
      },
    };
    const overview = new Overview({ ...app, ...app.records, catalog });
    await overview.prepare();
    assert.deepEqual(listed, ['upload']);
    assert.equal((await overview.read()).find(({ organization }) => organization.id === 'lane')?.waiting, 1);
    assert.deepEqual(listed, ['upload']);
  });

  it('131: has nothing of removed uploads and streams, whatever a server has read before', async () => {
    const { app } = started;
    await Promise.all(Array.from({ length: 3 }, () => upload('lane')));
    await rows();
    const removed = { at: 1, reason: 'a test', delivery: 4 };
    await settle('lane', 1, { removed });
    await settle('lane', 2, { applied, originalsRemoved: 1 });
    await settle('lane', 3, { applied });
    const [lane] = await app.records.overview.read();
    assert.deepEqual([lane?.failed, lane?.waiting, lane?.bytes], [0, 0, 5]);
    assert.deepEqual(await new Overview({ ...app, ...app.records }).read(), await app.records.overview.read());

    await app.records.organizations.addStream('lane', 'other');
    await app.records.organizations.changeStream('lane', 'other', { default: true });
    await settle('lane', 3, failure(Date.now()));
    assert.equal((await app.records.overview.read())[0]?.failed, 1);
    const name = { organization: 'lane', stream: 'main' };
    await app.records.streamRemovals.beginStream(name);
    await app.records.streamRemovals.endStream(name, new AbortController().signal);
    const [left] = await app.records.overview.read();
    assert.deepEqual([left?.failed, left?.waiting, left?.bytes, left?.lastUpload], [0, 0, 0, undefined]);
    assert.deepEqual(await new Overview({ ...app, ...app.records }).read(), await app.records.overview.read());
  });

  itOnce('is sorted by each column, also on the page, whose names of columns are links', async () => {
    await upload('quiet');
    await upload('lane');
    await settle('lane', 1, failure(Date.now()));
    const ids = async (query: string) => (await rows(query)).map(({ organization }) => organization);
    assert.deepEqual(await ids('?sort=failures&order=desc'), ['lane', 'quiet', 'sealed']);
    assert.deepEqual(await ids('?sort=last-upload'), ['sealed', 'quiet', 'lane']);
    assert.deepEqual(await ids('?order=desc'), ['sealed', 'quiet', 'lane']);
    assert.equal(
      (await ask(`${started.url}/api/organization-overview?sort=colour`, { headers: ADMINISTRATOR })).status,
      400,
    );

    const page = await ask(`${started.url}/organizations/?sort=failures&order=desc`, { headers: ADMINISTRATOR });
    const order = [...page.text.matchAll(/<th scope="row".*?<a href="\.\/(\w+)\/">/g)].map(([, id]) => id);
    assert.deepEqual(order, ['lane', 'quiet', 'sealed']);
    assert.match(page.text, /aria-sort="descending"><a href="\?sort=failures&amp;order=asc">/);
    assert.equal((await ask(`${started.url}/organizations/?sort=colour`, { headers: ADMINISTRATOR })).status, 400);
  });

  itOnce('is sorted by numbers, and equal ones by id', async () => {
    for (const [organization, bytes] of Object.entries({ lane: 9, sealed: 100, quiet: 10 })) {
      const dump = { organization, number: 1, at: Date.now(), files: [{ length: bytes }] };
      await started.app.catalog.put('stream-dump', dumpId(dump), { ...dump, kind: 'full' }, undefined);
    }
    const ids = async (query: string) => (await rows(query)).map(({ organization }) => organization);
    assert.deepEqual(await ids('?sort=size'), ['lane', 'quiet', 'sealed']);
    assert.deepEqual(await ids('?sort=size&order=desc'), ['sealed', 'quiet', 'lane']);
    assert.deepEqual(await ids('?sort=waiting&order=desc'), ['lane', 'quiet', 'sealed']);
  });

  itOnce('as CSV has the same rows, and no cell that a spreadsheet runs', async () => {
    await upload('lane');
    const { text, headers } = await ask(`${started.url}/api/organization-overview.csv`, { headers: ADMINISTRATOR });
    const [head, lane, ...others] = text.trimEnd().split('\r\n');
    assert.match(headers['content-type']!, /^text\/csv/);
    assert.match(head!, /^\ufefforganization,title,private,last upload,by,failures,/);
    assert.match(lane!, /^lane,"Lane, =the library",false,\S+,"administrator, 127\.0\.0\.1",0,1,0,,,5,1$/);
    assert.equal(others.length, 2);
  });

  it('shows those who manage an organization that one alone, and others what they saw before', async () => {
    for (const id of ['lane', 'sealed']) await upload(id);
    const { token } = await started.app.access.tokens.create({ name: 'Ada', scopes: ['manage:lane'] });
    const manager = { Authorization: `Bearer ${token}` };
    assert.deepEqual(
      (await rows('', manager)).map(({ organization }) => organization),
      ['lane'],
    );
    const page = (headers: Record<string, string>) => ask(`${started.url}/organizations/`, { headers });
    const managed = (await page(manager)).text;
    assert.match(managed, /by administrator/);
    assert.ok(managed.includes('./quiet/') && !managed.includes('sealed'), 'it shows another private organization');
    const open = (await page({})).text;
    assert.ok(open.includes('./lane/') && !open.includes('sealed') && !open.includes('administrator'));
    assert.ok(!open.includes('sparkline"'), 'everybody sees the state');
  });

  it('is in metrics by organization, with private ones for those who may read all of them', async () => {
    await upload('sealed');
    await settle('sealed', 1, failure(Date.now()));
    const { text } = await ask(`${started.url}/metrics`, { headers: ADMINISTRATOR });
    assert.match(text, /tidemark_organization_uploads\{organization="sealed",state="failed"\} 1/);
    assert.match(text, /tidemark_organization_last_upload_timestamp_seconds\{organization="sealed"\} \d+/);
    assert.match(text, /tidemark_organization_records\{organization="quiet"\} 0/);

    const scrape = async (...scopes: Scope[]) => {
      const { token } = await started.app.access.tokens.create({ name: 'Prometheus', scopes });
      return (await ask(`${started.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text;
    };
    const shown = await scrape('metrics', 'manage:lane');
    assert.match(shown, /tidemark_organization_records\{organization="lane"\} 0/);
    assert.ok(!shown.includes('sealed'), 'metrics name a private organization');
    assert.ok((await scrape('metrics', 'read:*')).includes('sealed'));
  });
});
