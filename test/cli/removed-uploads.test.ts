import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

describe('131: tidemark uploads remove', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    await writeFile(join(place.folder, 'a.mrc'), marc('a'));
  });
  afterEach(() => place.close());

  const env = { TIDEMARK_LOG_LEVEL: 'error' };
  const run = (...args: readonly string[]) => place.run(args, { env });

  it('says what it would delete, and removes it when that is confirmed; verify finds nothing wrong', async () => {
    const port = await findFreePort();
    await run('organizations', 'add', 'lane', '--port', `${port}`);
    const server = place.start(['serve', '--port', `${port}`], { env });
    await server.says(/Serving/);
    await run('upload', 'lane', 'a.mrc', '--server', `http://127.0.0.1:${port}`);
    await run('uploads', 'show', 'lane/main/1', '--wait');

    const asked = await run('uploads', 'remove', 'lane/main/1', '--reason', 'a test');
    assert.equal(asked.exitCode, 2);
    assert.match(asked.stderr, /has 1 file, 1 record or deletion: \d+ B are deleted for good, .* Say --confirm/);
    const removed = await run('uploads', 'remove', 'lane/main/1', '--reason', 'a test', '--confirm');
    assert.equal(removed.exitCode, 0, removed.stderr);
    assert.match(removed.stdout, /Removed the upload lane\/main\/1: the delivery lane\/main\/2 takes it back/);
    assert.equal((await run('uploads', 'show', 'lane/main/2', '--wait')).exitCode, 0);
    const { stdout } = await run('uploads', 'show', 'lane/main/1');
    assert.match(stdout, /status: removed\n {2}removed at 20\S+ by \S+: a test \(delivery 2\)/);
    assert.match((await run('uploads', 'list', 'lane')).stdout, /processed .*removes upload 1\n.*removed .*a test/);

    const again = await run('streams', 'process-again', 'lane', '--wait', '--json');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(JSON.parse(again.stdout).readsAgain, true);
    const files = () => readdir(join(place.folder, 'data/artifacts/_uploads'), { recursive: true });
    await until('its file is deleted', async () => !(await files()).some((name) => /[0-9a-f]{32}/.test(name)));
    server.signal('SIGTERM');
    await server.exit();
    for (const what of [
      ['lane--main', '--root'],
      ['lane', '--root'],
      ['lane.uploads', '--root'],
    ]) {
      const verified = await run('verify', ...what);
      assert.equal(verified.exitCode, 0, `${what.join(' ')}: ${verified.stdout}${verified.stderr}`);
    }
  });
});
