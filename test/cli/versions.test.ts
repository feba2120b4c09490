import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { Workplace } from '../support/workplace.ts';

describe('tidemark with --keep-versions', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    mkdirSync(join(place.folder, 'files'));
    write('a', 'first');
  });
  afterEach(() => place.close());

  function write(name: string, content: string): void {
    const file = join(place.folder, 'files', name);
    writeFileSync(file, content);
    utimesSync(file, LONG_AGO, LONG_AGO);
  }

  function isKept(content: string, set = 1): boolean {
    const digest = createHash('sha256').update(content).digest('hex');
    return existsSync(join(place.folder, `data/artifacts/_versions/${set}/${digest.slice(0, 2)}/${digest}`));
  }

  async function done(words: string) {
    const { exitCode, stdout, stderr } = await place.run([...words.split(' '), '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  async function refused(words: string): Promise<string> {
    const { exitCode, stderr } = await place.run(words.split(' '));
    assert.ok(exitCode !== 0);
    return stderr;
  }

  it('keeps the bytes of every version of a file', async () => {
    assert.equal((await done('sets add maps --root files --keep-versions')).keepVersions, true);
    await done('scan maps --dry-run');
    assert.ok(!isKept('first'));
    for (const content of ['first', 'second', 'third']) {
      write('a', content);
      await done('scan maps');
    }
    for (const content of ['first', 'second', 'third']) assert.ok(isKept(content), content);
  });

  it('keeps what an existing set has by the next scan, and everything from then on', async () => {
    await done('sets add maps --root files');
    await done('scan maps');
    assert.ok(!isKept('first'));
    await done('sets change maps --keep-versions');
    const { unchanged, updated } = await done('scan maps');
    assert.deepEqual([unchanged, updated], [1, 0]);
    assert.ok(isKept('first'));
    assert.equal((await done('scan maps')).hashed, 0);

    await done('sets change maps --no-keep-versions');
    assert.equal((await done('sets show maps')).keepVersions, undefined);
    write('a', 'second');
    await done('scan maps');
    assert.ok(!isKept('second'));
    await done('sets change maps --keep-versions');
    await done('scan maps');
    assert.ok(isKept('second'));
  });

  it('refuses sets whose bytes are elsewhere, and posted events, and says what to do', async () => {
    assert.match(
      await refused('sets add maps --url-prefix https://example.org/ --keep-versions'),
      /elsewhere: --keep-versions needs a set with --root or --records/,
    );
    await done('sets add maps --root files --keep-versions');
    await done('scan maps');
    const event = '{"change":"deleted","location":{"type":"rel_path","value":"a"}}\n';
    const { stderr } = await place.run(['changes', 'post', 'maps'], { input: event });
    assert.match(stderr, /takes no posted events: it keeps the bytes of every version.*--no-keep-versions/);
  });
});
