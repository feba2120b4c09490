import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { putArtifact, record } from '../../support/record-artifacts.ts';
import { RecordsProcess } from '../../support/record-set.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const START = '2017-02-09T10:44:28Z';

describe('The artifact that a set of records mirrors', () => {
  const folder = useTempFolder();
  let artifacts: ArtifactStore;
  let one: RecordsProcess;
  beforeEach(async () => {
    const location = { kind: 'sqlite', file: folder.at('tidemark.db') } as const;
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    one = await RecordsProcess.open({ location, environment: {}, dispose: async () => {} }, artifacts);
  });
  afterEach(async () => {
    await one.close();
    await artifacts.close();
  });

  it('is not replaced by another one of the same start, unless that is accepted', async () => {
    const key = await putArtifact(artifacts, [record('a')], { start: START });
    assert.equal(await one.counts(), '1: +1 ~0 -0 =0');
    // The same run, in the folder of its activity instead of that of its date.
    const dated = folder.at(`artifacts/${dirname(key)}`);
    for (const name of readdirSync(dated)) renameSync(`${dated}/${name}`, `${dirname(dated)}/${name}`);
    await assert.rejects(
      one.sync(),
      (error) => isTidemarkError(error, 'unavailable') && /nothing is changed.*--accept-older/.test(error.message),
    );
    assert.equal(await one.counts({ acceptsOlder: true }), '1: +0 ~1 -0 =0');
  });
});
