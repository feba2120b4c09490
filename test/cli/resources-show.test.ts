import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { sampleVersion, subfieldA } from '../support/sample-versions.ts';
import { Workplace } from '../support/workplace.ts';

describe('A record on the command line', () => {
  let place: Workplace;
  let serving: RunningTidemark;

  before(async () => {
    place = await Workplace.make(SQLITE);
    await place.run(['organizations', 'add', 'lane']);
    const port = await findFreePort();
    serving = place.start(['serve', '--port', `${port}`, '--access-log', 'false']);
    await serving.says(/Serving \d+ sets/);
    const versions = [sampleVersion(), sampleVersion({ 300: subfieldA('300', 'two\nlines') })];
    for (const [at, bytes] of versions.entries()) {
      await writeFile(join(place.folder, 'a.mrc'), bytes);
      await done('upload', 'lane', 'a.mrc', '--server', `http://localhost:${port}`);
      await done('uploads', 'show', `lane/main/${at + 1}`, '--wait');
    }
  });

  after(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    await place?.close();
  });

  async function done(...args: string[]): Promise<void> {
    const { exitCode, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
  }

  it('is printed as people read it, now and at an earlier time (132)', async () => {
    const { stdout, stderr } = await place.run(['resources', 'show', 'lane--main', '/a1']);
    assert.equal(stderr, '');
    assert.match(stdout, /^245 10 \$6 880-01 \$a Shirim ve-sipurim \/ \$c Hayim <b>Bialik<\/b>\.$/m);
    assert.match(stdout, /^300 ## \$a two\\nlines$/m);
    const { stdout: json } = await place.run(['resources', 'show', 'lane--main', '/a1', '--json']);
    const { datetime, fields } = JSON.parse(json);
    assert.equal(fields.length, 7);
    const before = new Date(Date.parse(datetime) - 1).toISOString();
    const { stdout: old } = await place.run(['resources', 'show', 'lane--main', '/a1', '--at', before]);
    assert.match(old, /^300 ## \$a 212 pages ; 22 cm$/m);
  });

  it('says when there is none', async () => {
    const { exitCode, stderr } = await place.run(['resources', 'show', 'lane--main', 'a1']);
    assert.match(stderr, /there is no resource a1\. Keys begin with a slash/);
    assert.notEqual(exitCode, 0);
  });
});
