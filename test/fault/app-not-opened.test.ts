import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import type { ArtifactLocation } from '../../src/artifacts/open-artifacts.ts';
import { lockOutOthers } from '../../src/stores/open-stores.ts';
import { testConfiguration } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('an app that cannot be opened', () => {
  const folder = useTempFolder();

  it('closes what it has opened already', async () => {
    const artifacts = { kind: 'no such kind' } as unknown as ArtifactLocation;
    await assert.rejects(openApp(testConfiguration(folder.path, { artifacts })));
    lockOutOthers(join(folder.path, 'tidemark.db')).release();
  });
});
