import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ageOrganization } from '../support/aged-organization.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { HarvestedStream, recordsOf } from '../support/harvested-stream.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const WEEK_AND_MORE_MS = 8 * 86_400_000;

describeOnEachStore('the stream of a collection', (store, itOnce) => {
  let started: StartedApp;
  let stream: HarvestedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await HarvestedStream.make(started.app);
  });
  afterEach(closeApps);

  const slugs = async () => (await started.app.sets.list()).map(({ slug }) => slug).sort();
  const patch = (path: string, value: object) =>
    ask(`${started.url}/api/organizations/${path}`, {
      method: 'PATCH',
      body: JSON.stringify(value),
      headers: JSON_BODY,
    });

  it('has exactly two sets, also beside a stream that is not of a collection', async () => {
    const { organizations } = started.app.records;
    assert.deepEqual(await slugs(), ['arxiv', 'arxiv.harvests']);
    const [records, harvests] = await Promise.all(
      ['arxiv', 'arxiv.harvests'].map((slug) => started.app.sets.bySlug(slug)),
    );
    const name = { organization: 'cornell', stream: 'arxiv', collection: 'arxiv' };
    assert.deepEqual(
      [records!.origin, harvests!.origin],
      [
        { kind: 'stream', ...name },
        { kind: 'uploads', ...name },
      ],
    );
    assert.deepEqual([records!.title, harvests!.title, records!.private], ['arXiv', 'arXiv: harvests', undefined]);
    await organizations.ensureSets();
    assert.equal((await slugs()).length, 2);

    const { defaultStream } = await organizations.addStream('cornell', 'main');
    assert.equal(defaultStream, 'main');
    const ofMain = ['', '--main'].flatMap((end) => ['', '.dumps', '.uploads'].map((what) => `cornell${end}${what}`));
    assert.deepEqual(await slugs(), ['arxiv', 'arxiv.harvests', ...ofMain].sort());
  });

  it('publishes its records and what was received, which activities read', async () => {
    await stream.process(await stream.deliver(recordsOf(['a', 'b'])));
    assert.equal(await stream.ids(), 'a b');
    const opened = await started.app.records.streamReader.open('stream:cornell/arxiv', new AbortController().signal);
    assert.match(opened.url, /^stream:cornell\/arxiv\?upload=1&/);
    opened.source.close?.();
    const statistics = await askJson(`${started.url}/api/organizations/cornell/statistics?stream=arxiv`);
    assert.equal(statistics.body.records, 2);
  });

  itOnce('takes no uploads but those of harvests, has no dumps, and is never the default', async () => {
    const organization = `${started.url}/api/organizations/cornell`;
    const answers = [
      await postForm(`${organization}/uploads?stream=arxiv`, [file('a.mrc', 'a')]),
      await ask(`${organization}/dumps`, {
        ...{ method: 'POST', headers: JSON_BODY },
        body: JSON.stringify({ stream: 'arxiv', kind: 'full' }),
      }),
      await patch('cornell/streams/arxiv', { default: true }),
      await patch('cornell/streams/arxiv', { dumps: { full: '0 3 * * *' } }),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 409, text);
      assert.match(text, /filled by harvests .*tidemark harvest arxiv/);
    }
    const posted = await ask(`${started.url}/api/sets/arxiv/changes`, {
      method: 'POST',
      body: '[]',
      headers: JSON_BODY,
    });
    assert.equal(posted.status, 409);
    assert.match(
      posted.text,
      /has the records of cornell\/arxiv; to change them, harvest it with .*tidemark harvest arxiv/,
    );
    const { resumableUploads } = started.app.records;
    const begun = resumableUploads.begin('cornell', { stream: 'arxiv', files: [{ name: 'a' }] });
    await assert.rejects(begun, { code: 'conflict' });
    assert.equal((await askJson(`${organization}/uploads?stream=arxiv`)).body.uploads.length, 0);
    await assert.rejects(started.app.records.uploads.begin('cornell', 'arxiv'), { code: 'conflict' });
    const { body } = await askJson(`${organization}/streams/arxiv`);
    assert.deepEqual([body.default, body.collection], [false, 'arxiv']);
  });

  itOnce('is made once, and taken up again after it was archived', async () => {
    const { organizations } = started.app.records;
    await organizations.changeStream('cornell', 'arxiv', { archived: true });
    await assert.rejects(stream.deliver(recordsOf(['a'])), { code: 'conflict', message: /archived/ });
    const { streams } = await organizations.addCollectionStream('cornell', 'arxiv', { title: 'arXiv e-prints' });
    assert.deepEqual(
      streams.map(({ id, archived, title }) => [id, archived, title]),
      [['arxiv', undefined, 'arXiv e-prints']],
    );
    assert.equal((await started.app.sets.bySlug('arxiv')).title, 'arXiv e-prints');
    await assert.rejects(organizations.addCollectionStream('other', 'arxiv'), { code: 'conflict', message: /"arxiv"/ });
  });

  itOnce('keeps what a run has received for as long as the run says, and lists it to no client', async () => {
    const { resumableUploads } = started.app.records;
    const { signal } = new AbortController();
    const unmentioned = 'deleted';
    const given = { stream: 'arxiv', set: 'arxiv', unmentioned, files: [{ name: 'run.tar' }] } as const;
    const begun = await resumableUploads.begin('cornell', { ...given, keptMs: 7 * 86_400_000 });
    const shorter = await resumableUploads.begin('cornell', given);
    assert.deepEqual(await resumableUploads.unfinished('cornell'), []);
    const inTwoDays = Date.now() + 2 * 86_400_000;
    assert.deepEqual(await resumableUploads.cleanUp(signal, inTwoDays), { ended: 0, removed: 1 });
    assert.equal((await resumableUploads.status('cornell', begun.upload.id)).offset, 0);
    await assert.rejects(resumableUploads.status('cornell', shorter.upload.id), { code: 'not-found' });
    await resumableUploads.cleanUp(signal, Date.now() + WEEK_AND_MORE_MS);
    await assert.rejects(resumableUploads.status('cornell', begun.upload.id), { code: 'not-found' });
  });

  itOnce('reads stored files again as an upload of their own, once, and keeps them', async () => {
    const { app, folder } = started;
    const { uploads } = app.records;
    await stream.process(await stream.deliver(recordsOf(['a'])));
    const { files } = await stream.upload(1);
    const normalization = { kind: 'other', format: 'oai_dc' };
    const again = { organization: 'cornell', stream: 'arxiv', set: 'arxiv', files, normalization, token: 'run-2' };
    for (let times = 1; times <= 2; times++) assert.equal((await uploads.record(again)).number, 2);
    assert.deepEqual((await stream.upload(2)).normalization, normalization);
    assert.equal((await stream.process(2)).unchanged, 1);
    await assert.rejects(uploads.record({ ...again, set: undefined, token: 'user' }), { code: 'conflict' });

    const old = new Date(Date.now() - WEEK_AND_MORE_MS);
    await utimes(join(folder, 'artifacts', files[0]!.artifact), old, old);
    await ageOrganization(app, 'cornell');
    assert.equal(await uploads.removeAbandoned(new AbortController().signal), 0);
  });
});
