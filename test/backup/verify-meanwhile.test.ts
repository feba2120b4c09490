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
    const own = {
      async summary(set: number) {
        await post('b');
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
});
