import assert from 'node:assert/strict';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { BROWSER, HOSTILE, pageAt } from '../support/web-source.ts';

describeOnEachStore('jobs over HTTP', (kind, itOnce) => {
  let started: StartedApp;
  let at: (path: string) => string;
  beforeEach(async () => {
    started = await startApp(kind, { archiveIntervalMs: 3_600_000, timeZone: 'Europe/Vienna' });
    at = (path) => `${started.url}${path}`;
  });
  afterEach(closeApps);

  const claim = async () => {
    const worker = { name: 'tester', leaseMs: 60_000 };
    const claimer = started.app.jobs.queue.claimer({ kinds: ['build'], worker });
    return (await claimer.claim()) ?? assert.fail('there is nothing to claim');
  };
  const show = async (id: string) => (await askJson(at(`/api/jobs/build/${id}`))).body;

  /** One job in each state. */
  async function addJobs(): Promise<void> {
    const { jobs } = started.app;
    for (const id of ['done', 'failed', 'running']) {
      await jobs.queue.add('build', id, { set: HOSTILE });
      const owned = await claim();
      if (id === 'failed') await owned.finish({ state: 'failed', error: `no disk ${HOSTILE}` });
      if (id === 'done') await owned.putLog([`a line ${HOSTILE}`]);
      if (id === 'done') await owned.finish({ state: 'done', result: { pages: 7 } });
      if (id === 'running') await owned.heartbeat({ done: 30, total: 120, text: 'page 30' });
    }
    for (const id of ['queued', 'cancelled']) await jobs.queue.add('build', id, {});
    await jobs.cancel('build/cancelled');
  }

  it('are listed page after page, with their numbers and the next times', async () => {
    await addJobs();
    const names: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await askJson(at(`/api/jobs?limit=2${after === '' ? '' : `&after=${after}`}`));
      names.push(...body.jobs.map(({ id }: { id: string }) => id));
      assert.deepEqual(
        body.counts.map(({ state, count }: { state: string; count: number }) => `${state} ${count}`).sort(),
        ['cancelled 1', 'done 1', 'failed 1', 'queued 1', 'running 1'],
      );
      assert.deepEqual(
        body.scheduled
          .map(({ kind, schedule }: { kind: string; schedule: string }) => [kind, schedule])
          .filter(([kind]: readonly [string]) => kind === 'archive-log' || kind === 'remove-ended-jobs')
          .sort(),
        [
          ['archive-log', 'every 1h'],
          ['remove-ended-jobs', '45 3 * * * (Europe/Vienna)'],
        ],
      );
      if (body.after === undefined) break;
      after = encodeURIComponent(body.after);
    }
    assert.deepEqual(names.toSorted(), ['cancelled', 'done', 'failed', 'queued', 'running']);
    const failed = (await askJson(at('/api/jobs?state=failed&kind=build'))).body.jobs;
    assert.deepEqual([failed.length, failed[0].error], [1, `no disk ${HOSTILE}`]);
    assert.deepEqual((await askJson(at('/api/jobs?kind=other'))).body.jobs, []);
    assert.equal((await askJson(at('/api/jobs?after=x'))).status, 400);
    const { status, body } = await askJson(at('/api/jobs?state=lost'));
    assert.deepEqual([status, body.error.message], [400, 'state is one of queued, running, done, failed, cancelled']);
  });

  itOnce('are shown with progress, result and log', async () => {
    await addJobs();
    const running = await show('running');
    assert.deepEqual(running.progress, { done: 30, total: 120, text: 'page 30' });
    assert.deepEqual([running.worker, running.attempts, running.log], ['tester', 1, []]);
    const done = await show('done');
    assert.deepEqual([done.result, done.log], [{ pages: 7 }, [`a line ${HOSTILE}`]]);
    assert.equal((await ask(at('/api/jobs/build/none'))).status, 404);
  });

  it('are retried and cancelled', async () => {
    await addJobs();
    const change = (id: string, what: string) => askJson(at(`/api/jobs/build/${id}/${what}`), {});
    assert.equal((await change('failed', 'retry')).body.state, 'queued');
    assert.equal((await change('running', 'cancel')).body.cancelling, true);
    assert.equal((await change('failed', 'cancel')).body.state, 'cancelled');
    for (const [id, what] of [
      ['done', 'retry'],
      ['done', 'cancel'],
      ['running', 'retry'],
    ] as const) {
      assert.equal((await change(id, what)).status, 409, `${what} ${id}`);
    }
    assert.equal((await change('none', 'retry')).status, 404);
  });

  itOnce('have a page with what runs, what failed, the last runs and the next times', async () => {
    assert.match(await pageAt(at('/jobs')), /Nothing runs just now\./);
    await addJobs();
    const page = await pageAt(at('/jobs'));
    assert.match(page, /page 30<br><progress aria-label="Progress" value="30" max="120"><\/progress> 30 of 120/);
    assert.match(page, /no disk &lt;script&gt;/);
    assert.match(page, /href="\.\/jobs\/build\/done"/);
    assert.match(page, /45 3 \* \* \* \(Europe\/Vienna\)/);
    assert.doesNotMatch(page, /<script>alert/);

    const job = await pageAt(at('/jobs/build/done'));
    assert.match(job, /a line &lt;script&gt;/);
    assert.match(job, /\{&quot;pages&quot;:7\}/);
    assert.doesNotMatch(job, /<script>alert/);
    assert.match(await pageAt(at('/status')), /href="\.\/jobs"/);
  });

  itOnce('are retried and cancelled by buttons, which say what they did as long as that is so', async () => {
    await addJobs();
    const press = async (page: string, label: string) => {
      const action = buttonsOf(await pageAt(at(page))).get(label) ?? assert.fail(`${page} has no button ${label}`);
      const { status, headers } = await ask(new URL(action, at(page)).href, {
        method: 'POST',
        headers: { Origin: started.url, 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(status, 303, label);
      const { pathname, search } = new URL(headers.location!, new URL(action, at(page)));
      return { back: pathname + search, text: await pageAt(at(pathname + search)) };
    };
    assert.deepEqual([...buttonsOf(await pageAt(at('/jobs'))).keys()].sort(), [
      'Cancel build/queued',
      'Cancel build/running',
      'Retry build/cancelled',
      'Retry build/failed',
    ]);
    const retried = await press('/jobs', 'Retry build/failed');
    assert.equal(retried.back, '/jobs?did=retry&job=build%2Ffailed');
    assert.match(retried.text, /The job build\/failed is queued, and runs as soon as a worker is free\./);
    assert.equal((await show('failed')).state, 'queued');

    const cancelled = await press('/jobs/build/failed', 'Cancel build/failed');
    assert.equal(cancelled.back, '/jobs/build/failed?did=cancel');
    assert.match(cancelled.text, /The job build\/failed was cancelled\./);
    assert.doesNotMatch(await pageAt(at(retried.back)), /is queued, and runs/);

    const cancelling = await press('/jobs', 'Cancel build/running');
    assert.match(cancelling.text, /The job build\/running is being cancelled/);
    assert.equal(buttonsOf(await pageAt(at('/jobs/build/running'))).size, 0);
    assert.equal(buttonsOf(await pageAt(at('/jobs/build/done'))).size, 0);

    await started.app.jobs.queue.add('build', 'later', {}, { notBefore: Date.now() + 3_600_000 });
    await press('/jobs', 'Run now build/later');
    assert.equal((await show('later')).notBefore, undefined);
    assert.match(await pageAt(at('/jobs?did=retry&job=no%20job')), /<h1>Jobs<\/h1>\n\n/);
  });

  itOnce('refuse a button of a page of another site, and one that comes too late', async () => {
    await addJobs();
    const press = (id: string, headers: Record<string, string>) =>
      ask(at(`/jobs/build/${id}/cancel`), { method: 'POST', headers: { ...BROWSER, ...headers } });
    for (const origin of ['https://evil.example.org', 'null']) {
      assert.equal((await press('queued', { Origin: origin })).status, 403);
    }
    assert.equal((await show('queued')).state, 'queued');
    const late = await press('done', { Origin: started.url });
    assert.equal(late.status, 409);
    assert.match(late.text, /The job build\/done is done already\./);
    assert.equal((await press('none', { Origin: started.url })).status, 404);
  });

  itOnce('are counted by metrics', async () => {
    await addJobs();
    const { text } = await ask(at('/metrics'));
    for (const state of ['queued', 'running', 'failed']) {
      assert.match(text, new RegExp(`tidemark_jobs\\{kind="build",state="${state}"\\} 1\n`));
    }
  });
});

/** The buttons of a page by their names for screen readers, with the addresses that they post to once confirmed. */
function buttonsOf(page: string): ReadonlyMap<string, string> {
  const forms = page.matchAll(/<summary>(.*?) …<\/summary>\n<form method="post" action="([^"]+)">/g);
  return new Map(Array.from(forms, ([, label, action]) => [label!.replaceAll(/<[^>]+>/g, ''), action!]));
}
