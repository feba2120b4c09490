import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { DiskSync } from '../../../src/lib/files/disk-sync.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

/** Of this process. */
function shells(): readonly number[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sync -f'));
}

const isMissing = /ENOENT/;

describe('DiskSync', () => {
  const folder = useTempFolder();
  const { PATH } = process.env;
  let disk: DiskSync;

  /** None is there: syncing each of them fails, and syncing the file system does not. */
  const many = () => Array.from({ length: 17 }, (_, at) => folder.at(`none-${at}`));
  const triesEach = () => assert.rejects(disk.sync(many()), isMissing);

  beforeEach(() => {
    disk = new DiskSync(folder.path);
  });
  afterEach(async () => {
    process.env.PATH = PATH;
    await disk.close();
  });

  it('syncs the whole file system for many paths, by one shell, which ends with it', async () => {
    for (let time = 0; time < 3; time++) await disk.sync(many());
    assert.equal(shells().length, 1);
    await disk.close();
    assert.deepEqual(shells(), []);
  });

  it('syncs each of few paths', async () => {
    folder.write('a.txt', 'a');
    await disk.sync([folder.at('a.txt')]);
    await assert.rejects(disk.sync([folder.at('none')]), isMissing);
    assert.deepEqual(shells(), []);
  });

  it('syncs each path where the command fails, or is missing', async () => {
    disk = new DiskSync(folder.at('none'));
    await triesEach();
    await disk.close();
    process.env.PATH = folder.path;
    disk = new DiskSync(folder.path);
    await triesEach();
    await triesEach();
  });

  it('rejects, and lets the process go on, when no more files can be opened', async () => {
    const module = new URL('../../../src/lib/files/disk-sync.ts', import.meta.url);
    const script = `
      import { DiskSync } from '${module}';
      import { openSync } from 'node:fs';
      const disk = new DiskSync('/');
      try { for (;;) openSync('/dev/null'); } catch {}
      await disk.sync(Array(17).fill('/')).catch(({ code }) => process._rawDebug(code));
      await disk.close();
      setTimeout(() => process._rawDebug('goes on'), 50);`;
    const limited = ['-c', 'ulimit -n 80; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
    const { stderr } = await promisify(execFile)('sh', limited);
    assert.match(stderr, /^EMFILE\ngoes on\n$/);
  });

  it('starts another shell when one was killed', async () => {
    await disk.sync(many());
    process.kill(shells()[0]!, 'SIGKILL');
    await triesEach();
    await disk.sync(many());
  });
});
