import { readdir } from 'node:fs/promises';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testArtifactStore } from './artifact-store.ts';

describe('artifacts in a folder', () => {
  const folder = useTempFolder();
  testArtifactStore('a folder', () => ({
    open: () => openArtifacts({ kind: 'folder', folder: folder.at('artifacts') }),
    leftovers: () => readdir(folder.at('artifacts/.unfinished')),
    async fill(keys) {
      for (const key of keys) folder.write(`artifacts/${key}`, key);
    },
  }));
});
