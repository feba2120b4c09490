import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { announceChanges } from '../../src/cli/ui/announce-changes.ts';
import { Terminal } from '../../src/cli/ui/terminal.ts';
import { TidemarkError } from '../../src/core/errors.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

describe('the lines about changes of a folder that is published', () => {
  afterEach(closeApps);

  it('go on when the store does not answer in between', async () => {
    const { app, url } = await startApp(SQLITE);
    await app.sets.add({ slug: 'papers', urlPrefix: 'https://example.org/' });
    const post = async (value: string) => {
      const changes = [{ location: { value, type: 'rel_path' }, change: 'created' }];
      assert.equal((await askJson(`${url}/api/sets/papers/changes`, { changes })).status, 200);
    };
    let isAway = true;
    const byId: typeof app.sets.byId = (id) => {
      if (isAway) return Promise.reject(new TidemarkError('unavailable', 'the store does not answer'));
      return app.sets.byId(id);
    };
    const stdout = new PassThrough();
    let said = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() }, false);
    const stopping = new AbortController();
    const sets = Object.assign(Object.create(app.sets), { byId });
    const announcing = announceChanges({ index: app.index, sets }, { after: 0, terminal, signal: stopping.signal });
    await post('a');
    await until('the first change is shown', async () => / \+1 ~0 -0 {2}set 1\n/.test(said));
    isAway = false;
    await post('b');
    await until('the second change is shown', async () => / \+1 ~0 -0 {2}papers\n/.test(said));
    stopping.abort();
    await announcing;
  });
});
