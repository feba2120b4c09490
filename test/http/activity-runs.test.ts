import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { runActivityJob } from '../../src/jobs/kinds/run-activity.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const ROOTS: string[] = [];

describeOnEachStore('Runs of activities over HTTP', (store, itOnce) => {
  let started: StartedApp;
  let runner: JobRunner;
  let roots: string;

  before(async () => {
    ROOTS.length = 0;
    started = await startApp(store, { apiRoots: ROOTS });
    roots = join(started.folder, 'roots');
    ROOTS.push(roots);
    await mkdir(roots);
    await records(join(roots, 'ten.ndjson'), 10);
    await writeFile(join(roots, 'mapping.json'), JSON.stringify(MAPPING));
    await writeFile(join(roots, 'module.js'), 'export default (record) => record;');
    await records(join(started.folder, 'secret.ndjson'), 1);
    await symlink(join(started.folder, 'secret.ndjson'), join(roots, 'link.ndjson'));
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });
  after(async () => {
    await runner.stop();
    await closeApps();
  });

  const at = (organization: string, path = '') => `${started.url}/api/organizations/${organization}/activities${path}`;
  const show = async (organization: string, path: string) => (await askJson(at(organization, path))).body;
  const ended = (organization: string, path: string) =>
    until(`the end of ${path}`, async () => {
      const run = await show(organization, path);
      return run.state !== undefined && !['waiting', 'running'].includes(run.state) && run;
    });
  const run = async (organization: string, body: object) => {
    const { status, body: added, headers } = await askJson(at(organization), body);
    assert.equal(status, 201, JSON.stringify(added));
    assert.equal(headers.location, `activities/${added.activity}/${added.number}`);
    return ended(organization, `/${added.activity}/${added.number}`);
  };
  const organization = (id: string) => started.app.records.organizations.add(id, { contacts: [] });

  it('are made by jobs, and show state, numbers, errata with reasons, artifact and plan', async () => {
    await organization('lane');
    const lines = [line('a'), '{"id":"b"}', '{"document":"x"}', line('a'), line('c')];
    await writeFile(join(roots, 'mixed.ndjson'), lines.map((text) => `${text}\n`).join(''));

    const harvest = await run('lane', { activity: 'harvest', from: join(roots, 'mixed.ndjson'), writePlan: true });
    assert.deepEqual([harvest.state, harvest.number, harvest.trigger], ['succeeded', 1, 'request'], harvest.failure);
    const { attempted, written, failed, duplicates } = harvest.totals;
    assert.deepEqual(
      { attempted, written, failed, duplicates },
      { attempted: 5, written: 2, failed: 2, duplicates: 1 },
    );
    assert.match(harvest.artifact, /^lane\/harvest\/\d{8}\/\d{8}_\d{6}-lane-OriginalRecord\.v1\.avro$/);
    assert.match(harvest.plan, /^lane\/plan\//);
    assert.equal(harvest.job, 'run-activity/lane~harvest~1');
    const job = async () => (await askJson(`${started.url}/api/jobs/${harvest.job}`)).body;
    const { result } = await until('the end of the job', async () => (await job()).state === 'done' && job());
    assert.equal(result.artifact, harvest.artifact);
    const errors = await ask(`${started.url}/api/${harvest.errors}`);
    assert.equal(errors.headers['content-type'], 'application/x-ndjson; charset=utf-8');
    const all = errors.text
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    assert.deepEqual(harvest.firstErrors, all);
    assert.deepEqual(all.map(({ line }) => line).sort(), [1, 2, 3]);
    const failures = Object.values<number>(harvest.totals.errors).reduce((sum, count) => sum + count, 0);
    assert.equal(failures, 2);

    const mapping = await run('lane', { activity: 'mapping', transform: join(roots, 'mapping.json') });
    assert.deepEqual([mapping.state, mapping.generator], ['succeeded', harvest.artifact], mapping.failure);
    const again = await run('lane', { activity: 'mapping', input: harvest.artifact });
    assert.equal(again.number, 2);

    const { runs } = (await askJson(at('lane'))).body;
    const named = runs.map((one: { activity: string; number: number }) => `${one.activity}/${one.number}`);
    assert.deepEqual(named, ['mapping/2', 'mapping/1', 'harvest/1']);
  });

  itOnce('are listed in pages, newest first, of all activities or of one', async () => {
    await organization('pages');
    const from = join(roots, 'ten.ndjson');
    for (let at = 0; at < 3; at++) {
      await run('pages', { activity: 'harvest', from });
      await run('pages', { activity: 'mapping' });
    }
    const read = async (query: string) => {
      const found: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: { runs: { activity: string; number: number }[]; after?: string } = (
          await askJson(`${at('pages')}?limit=2${query}${after && `&after=${after}`}`)
        ).body;
        assert.ok(page.runs.length <= 2);
        found.push(...page.runs.map(({ activity, number }) => `${activity}/${number}`));
        after = page.after;
      }
      return found;
    };
    const all = ['mapping/3', 'harvest/3', 'mapping/2', 'harvest/2', 'mapping/1', 'harvest/1'];
    assert.deepEqual(await read(''), all);
    assert.deepEqual(await read('&activity=mapping'), ['mapping/3', 'mapping/2', 'mapping/1']);
    assert.equal((await askJson(`${at('pages')}?after=nonsense`)).status, 400);
    assert.equal((await askJson(at('pages', '/mapping/4'))).status, 404);
    assert.equal((await askJson(at('pages', '/nonsense/1'))).status, 404);
    assert.equal((await askJson(at('missing'))).status, 404);
  });

  itOnce('stop when there are far fewer records, visibly, until the drop is accepted', async () => {
    await organization('drop');
    await records(join(roots, 'two.ndjson'), 2);
    const ten = await run('drop', { activity: 'harvest', from: join(roots, 'ten.ndjson') });
    const two = { activity: 'harvest', from: join(roots, 'two.ndjson') };
    const stopped = await run('drop', two);
    assert.deepEqual([stopped.state, stopped.artifact], ['stopped', undefined]);
    assert.deepEqual([stopped.totals.drop, stopped.totals.previous], [0.8, { artifact: ten.artifact, written: 10 }]);
    const accepted = await run('drop', { ...two, acceptDrop: true });
    assert.deepEqual([accepted.state, accepted.totals.written], ['succeeded', 2]);
  });

  itOnce('fail with a reason without paths of the server, and are not tried again for what stays wrong', async () => {
    await organization('failing');
    const none = await run('failing', { activity: 'mapping' });
    assert.equal(none.state, 'failed');
    assert.match(none.failure, /^failing has no file of normalization or harvest or upload or dataset/);
    const missing = await run('failing', { activity: 'harvest', from: join(roots, 'missing.ndjson') });
    assert.deepEqual([missing.state, missing.failure.includes(started.folder)], ['failed', false]);
  });

  itOnce('are made at the times of a schedule, which the list of jobs has', async () => {
    await organization('nightly');
    const from = join(roots, 'ten.ndjson');
    const schedule = { cron: '15 2 * * *', from };
    const { status, body } = await askJson(`${started.url}/api/organizations/nightly/schedules/harvest`, schedule);
    assert.equal(status, 200);
    const { since, ...shown } = body;
    assert.deepEqual(shown, { activity: 'harvest', ...schedule });
    assert.deepEqual((await show('nightly', '')).schedules, [body]);
    const { scheduled } = (await askJson(`${started.url}/api/jobs`)).body;
    const next = scheduled.find(({ activity }: { activity?: string }) => activity === 'nightly/harvest');
    assert.equal(next.schedule, '15 2 * * * (UTC)');
    const now = () => Date.parse(next.next) + 1000;
    await new Scheduler({ definitions: [runActivityJob], parts: started.app, now }).addDue();
    const made = await ended('nightly', '/harvest/1');
    assert.deepEqual([made.state, made.trigger], ['succeeded', 'schedule']);
    assert.match(made.job, /^run-activity\/nightly~harvest\.\d{8}T021500Z$/);

    assert.equal(
      (await ask(`${started.url}/api/organizations/nightly/schedules/harvest`, { method: 'DELETE' })).status,
      204,
    );
    assert.deepEqual((await show('nightly', '')).schedules, []);
    const outside = { cron: '15 2 * * *', from: join(started.folder, 'secret.ndjson') };
    assert.equal((await askJson(`${started.url}/api/organizations/nightly/schedules/harvest`, outside)).status, 403);
  });

  itOnce('are cancelled with their jobs', async () => {
    await organization('cancelled');
    await runner.stop();
    const added = (await askJson(at('cancelled'), { activity: 'mapping' })).body;
    assert.equal(added.state, 'waiting');
    await askJson(`${started.url}/api/jobs/${added.job}/cancel`, {});
    const { state, failure } = await show('cancelled', '/mapping/1');
    assert.deepEqual([state, failure], ['failed', 'its job was cancelled']);
  });
});

describeOnEachStore('Who may run activities over HTTP', (store, itOnce) => {
  let started: StartedApp;
  let uploader: Readonly<Record<string, string>>;
  let reader: Readonly<Record<string, string>>;
  let administrator: Readonly<Record<string, string>>;
  let roots: string;

  before(async () => {
    ROOTS.length = 0;
    started = await startApp(store, { apiRoots: ROOTS });
    roots = join(started.folder, 'roots');
    ROOTS.push(roots);
    await mkdir(roots);
    await records(join(roots, 'ten.ndjson'), 10);
    await writeFile(join(roots, 'mapping.json'), JSON.stringify(MAPPING));
    await writeFile(join(roots, 'module.js'), 'export default (record) => record;');
    await records(join(started.folder, 'secret.ndjson'), 1);
    await symlink(join(started.folder, 'secret.ndjson'), join(roots, 'link.ndjson'));
    await started.app.records.organizations.add('lane', { contacts: [], private: true });
    await started.app.records.organizations.add('other', { contacts: [] });
    const bearer = async (scope: 'upload:lane' | 'download:lane' | 'administer') => {
      const { token } = await started.app.access.tokens.create({ name: scope, scopes: [scope] });
      return { authorization: `Bearer ${token}` };
    };
    uploader = await bearer('upload:lane');
    reader = await bearer('download:lane');
    administrator = await bearer('administer');
  });
  after(closeApps);

  const post = async (headers: Readonly<Record<string, string>>, body: object, organization = 'lane') => {
    const url = `${started.url}/api/organizations/${organization}/activities`;
    const options = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    };
    const { status, text } = await ask(url, options);
    return { status, message: JSON.parse(text).error?.message as string };
  };

  itOnce('those who may upload for the organization, without files of the server', async () => {
    assert.equal((await post(uploader, { activity: 'mapping' })).status, 201);
    assert.equal((await post(uploader, { activity: 'indexing', transform: 'map-3.1' })).status, 201);
    assert.equal((await post(reader, { activity: 'mapping' })).status, 403);
    assert.equal((await post({}, { activity: 'mapping' })).status, 404);
    assert.equal((await post(uploader, { activity: 'mapping' }, 'other')).status, 403);
    const files = [
      { activity: 'harvest', from: join(roots, 'ten.ndjson') },
      { activity: 'mapping', transform: join(roots, 'mapping.json') },
    ];
    for (const body of files) {
      assert.deepEqual(await post(uploader, body), {
        status: 403,
        message: 'only administrators may have files of the server read',
      });
    }
    const foreign = 'other/harvest/20170209/20170209_104428-other-OriginalRecord.v1.avro';
    for (const body of [
      { activity: 'mapping', input: foreign },
      { activity: 'mapping', plan: foreign },
    ]) {
      const { status, message } = await post(uploader, body);
      assert.equal(status, 400);
      assert.match(message, /has to be a key of lane/);
    }
  });

  itOnce('those who may upload for it, with streams of organizations that they may read', async () => {
    const { organizations } = started.app.records;
    await organizations.addStream('lane', 'main');
    await organizations.addStream('other', 'main');
    await organizations.add('secret', { contacts: [], private: true });
    await organizations.addStream('secret', 'main');
    const from = (name: string) => ({ activity: 'harvest', from: `stream:${name}` });
    for (const name of ['lane', 'lane/main', 'other/main']) {
      assert.equal((await post(uploader, from(name))).status, 201, name);
    }
    assert.equal((await post(reader, from('lane'))).status, 403);
    const hidden = await post(uploader, from('secret'));
    const missing = await post(uploader, from('absent'));
    assert.equal(hidden.status, 404);
    assert.deepEqual(missing, { status: 404, message: hidden.message.replace('secret', 'absent') });
    assert.equal((await post(uploader, from('secret/main'))).status, 404);
    assert.equal((await post(administrator, from('secret/main'))).status, 201);

    // A run of a command may have read it: to repeat it needs the same right.
    const ofCommand = { provider: 'lane', activity: 'harvest', from: 'stream:secret/main' } as const;
    const { number } = await started.app.records.runs.queue(ofCommand, { by: 'command' });
    const repeat = (headers: Readonly<Record<string, string>>) =>
      ask(`${started.url}/organizations/lane/activities/harvest/${number}/again`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: '',
      });
    assert.deepEqual([(await repeat(uploader)).status, (await repeat(administrator)).status], [404, 303]);
  });

  itOnce('administrators with files below a root of the configuration, and no modules', async () => {
    for (const body of [
      { activity: 'harvest', from: join(roots, 'ten.ndjson') },
      { activity: 'mapping', transform: join(roots, 'mapping.json') },
    ]) {
      assert.equal((await post(administrator, body)).status, 201);
    }
    const outside = [
      join(started.folder, 'secret.ndjson'),
      join(roots, '../secret.ndjson'),
      join(roots, 'link.ndjson'),
    ];
    for (const from of [...outside, 'ten.ndjson', '-', 's3://bucket/x', '/etc/passwd', '/nowhere']) {
      const { status, message } = await post(administrator, { activity: 'harvest', from });
      assert.equal(status, 403, from);
      assert.match(message, /apiRoots/);
    }
    assert.equal((await post(administrator, { activity: 'mapping', transform: '/etc/mapping.json' })).status, 403);
    const module = await post(administrator, { activity: 'mapping', transform: join(roots, 'module.js') });
    assert.equal(module.status, 403);
    assert.match(module.message, /a module would be code/);
  });

  itOnce('show paths, and who sent them, to administrators alone', async () => {
    const from = join(roots, 'ten.ndjson');
    await post(administrator, { activity: 'harvest', from });
    const read = async (headers: Readonly<Record<string, string>>) => {
      const { text, status } = await ask(`${started.url}/api/organizations/lane/activities?activity=harvest&limit=1`, {
        headers,
      });
      return status === 200 ? JSON.parse(text).runs[0] : status;
    };
    const [whole, shown] = [await read(administrator), await read(reader)];
    assert.deepEqual([whole.options.from, shown.options], [from, {}]);
    assert.match(whole.sender, /^token administer/);
    assert.equal(shown.sender, undefined);
    assert.equal(await read({}), 404);
  });
});

const MAPPING = { language: 'xpath', fields: { title: { from: '//title' } } };

function line(id: string): string {
  return JSON.stringify({ id, document: `<record><title>${id}</title></record>`, mimetype: 'application/xml' });
}

async function records(path: string, count: number): Promise<void> {
  await writeFile(path, Array.from({ length: count }, (_, number) => `${line(`r${number}`)}\n`).join(''));
}
