import assert from 'node:assert/strict';
import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftOver } from '../../src/cli/serving/clean-nightly.ts';
import { copyFolder } from '../../src/sources/copy-folders.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const SET = 'http://source.example.org/set';

describe('a copy whose set was removed', () => {
  afterEach(closeApps);

  it('is removed with what killed processes left, also when a rendered document cannot be removed', async () => {
    const { app, folder } = await startApp(SQLITE);
    const origin = { kind: 'resourcesync', url: SET, set: SET } as const;
    const { id } = await app.sets.add({ slug: 'maps', title: 'Maps', origin });
    const copy = copyFolder(folder, id, SET);
    await mkdir(copy, { recursive: true });
    // A folder is not removed as a file is.
    const stuck = join(folder, 'documents/1/stuck');
    await mkdir(stuck, { recursive: true });
    await utimes(stuck, 0, 0);
    await app.sets.remove('maps');

    const cleaning = assert.rejects(removeLeftOver(app));
    const isThere = () =>
      stat(copy).then(
        () => true,
        () => false,
      );
    await until('the copy is removed', async () => !(await isThere()));
    await cleaning;
  });
});
