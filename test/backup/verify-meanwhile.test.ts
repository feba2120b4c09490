import assert from 'node:assert/strict';
import { verify } from '../../src/backup/verify/verify.ts';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describeOnEachStore('A set that is verified while a client posts', (store) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store);
  });
  afterEach(closeApps);

  it('has no differences, although its summary has a change that came after everything else was read', async () => {
    const { app, url } = started;
    await app.sets.add({ slug: 's', urlPrefix: 'https://one.example.org/p/' });
    const post = (value: string) =>
      askJson(`${url}/api/sets/s/changes`, { changes: [{ location: { value, type: 'rel_path' }, change: 'created' }] });
    await post('a');
    let summaries = 0;
    const own = {
      async summary(set: number) {
        // The first one says how much there is.
        if (summaries++ > 0) await post('b');
        return app.index.summary(set);
      },
    };
    const index = new Proxy(app.index, {
      get(target, name) {
        const value = Reflect.get(name in own ? own : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { differences, changedMeanwhile } = await verify({ set: await app.sets.bySlug('s'), index });
    assert.deepEqual([differences.first, changedMeanwhile], [[], 1]);
  });

  it('says how much there is of each step, and has all of it at the end', async () => {
    const { app, url } = started;
    await app.sets.add({ slug: 's', urlPrefix: 'https://one.example.org/p/' });
    for (const [value, change] of [
      ['a', 'created'],
      ['b', 'created'],
      ['b', 'deleted'],
    ]) {
      await askJson(`${url}/api/sets/s/changes`, { changes: [{ location: { value, type: 'rel_path' }, change }] });
    }
    const last = new Map<string, readonly (number | undefined)[]>();
    await verify({
      set: await app.sets.bySlug('s'),
      index: app.index,
      onProgress: ({ step, done, total }) => last.set(step, [done, total]),
    });
    assert.deepEqual(Object.fromEntries(last), { log: [3, 3], state: [2, 2] });
  });
});
