import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('tidemark demo', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });

  afterEach(() => place.close());

  it('publishes a collection that changes in each way, and removes it at the signal', async () => {
    const port = await findFreePort();
    const running = place.start(['demo', '--every', '1s', '--port', String(port)], {
      env: { TIDEMARK_DATA: join(place.folder, 'real'), TIDEMARK_BASE_URL: 'https://sync.example.org' },
    });
    const folder = await folderOf(running);
    const { text } = await ask(`http://localhost:${port}/sets/sample/resourcelist.xml`);
    assert.match(text, new RegExp(`<loc>http://localhost:${port}/sets/sample/resources/README\\.txt</loc>`));
    await until('there are changes of each kind', async () => {
      const list = (await ask(`http://localhost:${port}/sets/sample/changelist.xml`)).text;
      return /change="updated"/.test(list) && /change="deleted"/.test(list) && /revised/.test(list);
    });
    const [, url = ''] = await running.says(/^ {2}(?:tidemark|npm start --) mirror (\S+) copy --follow$/m);
    const copied = await place.run(['mirror', url, 'copy']);
    assert.equal(copied.exitCode, 0, copied.stderr);
    assert.ok(existsSync(join(place.folder, 'copy/README.txt')), copied.stdout);
    await running.says(/edited \S+, added \S+\n/);
    await running.says(/\+1 ~1 -0 {2}sample/);

    running.signal('SIGINT');
    assert.equal(await running.exit(), 0, running.stderr);
    assert.match(running.stderr, new RegExp(`Removed ${join(folder, '..')}`));
    assert.equal(existsSync(folder), false);
    assert.deepEqual(readdirSync(place.folder), ['copy'], 'a real source was not touched');
  });

  it('takes a free port when the usual one is taken', async () => {
    // Taken by this server, or by something else on this machine.
    const other = createServer().on('error', () => {});
    other.listen(8080, '127.0.0.1');
    try {
      const running = place.start(['demo']);
      await folderOf(running);
      const [, url = ''] = await running.says(/Change List {2}(\S+)/);
      assert.equal((await ask(url)).status, 200);
      running.signal('SIGINT');
      assert.equal(await running.exit(), 0, running.stderr);
    } finally {
      other.close();
    }
  });

  it('refuses to be kept', async () => {
    const { exitCode, stderr } = await place.run(['demo', '--data', 'kept']);
    assert.match(stderr, /the demo keeps nothing: leave --data and --store out/);
    assert.equal(exitCode, 2);
  });

  async function folderOf(running: RunningTidemark): Promise<string> {
    const [, folder = ''] = await running.says(/Files {2,}(\S+) \(change some yourself\)/);
    return folder;
  }
});
