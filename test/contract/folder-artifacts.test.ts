import { readdir } from 'node:fs/promises';
import { useTempFolder } from '../support/temp-folder.ts';
import { testArtifactStore } from './artifact-store.ts';

describe('artifacts in a folder', () => {
  const folder = useTempFolder();
  testArtifactStore('a folder', () => ({
    location: { kind: 'folder', folder: folder.at('artifacts') },
    leftovers: () => readdir(folder.at('artifacts/.unfinished')),
    async fill(keys) {
      for (const key of keys) folder.write(`artifacts/${key}`, key);
    },
  }));
});
