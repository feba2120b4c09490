import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { environmentOf, rootOf, useBucket, useS3 } from '../support/s3.ts';
import { Workplace } from '../support/workplace.ts';

/** With backtracking, each of them takes longer than anybody waits for the name below. */
const PATTERNS = ['{a,aa}+b', '[a]+[a]+[a]+[a]+[a]+[a]+[a]+[a]+b', '*a*a*/*a*a*/*a*a*/*a*a*/b', '*.log'].join('\n');
const NAME = 'a'.repeat(100);
const PATH = `${NAME}/${NAME}/${NAME}/${NAME}/c`;

describe('Patterns of files on the command line', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    mkdirSync(join(place.folder, 'files', PATH, '..'), { recursive: true });
    for (const path of [PATH, 'a.log']) write(path);
  });
  afterEach(() => place.close());

  const write = (path: string, content = path) => writeFileSync(join(place.folder, 'files', path), content);

  // In a process of its own, which can be ended.
  async function scan(root: string, env: Record<string, string> = {}): Promise<string> {
    await place.run(['sets', 'add', 'files', '--root', root]);
    const { stdout, stderr } = await place.runProcess(['scan', 'files'], { env });
    return stdout + stderr;
  }

  it('are matched in bounded time with every name of a file in a folder', async () => {
    write('.tidemarkignore', PATTERNS);
    assert.match(await scan('files'), /files: 1 file in .*: 1 created/);
  });

  it('that are too many to be compiled delete nothing, and publish nothing', async () => {
    assert.match(await scan('files'), /files: 2 files in .*: 2 created/);
    write('.tidemarkignore', '*a'.repeat(20_000));
    rmSync(join(place.folder, 'files', PATH));
    write('new');
    const { exitCode, stderr } = await place.run(['scan', 'files']);
    assert.equal(exitCode, 3);
    assert.match(stderr, /\.tidemarkignore, which hides files, cannot be used: .* 40000 characters, at most 32768/);
    const { stdout } = await place.run(['sets', 'show', 'files', '--json']);
    assert.equal(JSON.parse(stdout).resources, 2);
  });

  describe('of a bucket', () => {
    const s3 = useS3();
    const bucket = useBucket(s3);

    it('are matched in bounded time with every name of an object', async () => {
      for (const path of [PATH, 'a.log']) await bucket.put(path, path);
      await bucket.put('.tidemarkignore', PATTERNS);
      assert.match(await scan(rootOf(s3, bucket.name), environmentOf(s3)), /files: 1 file in .*: 1 created/);
    });
  });
});
