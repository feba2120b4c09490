import { mkdirSync, renameSync } from 'node:fs';
import { pathOfKey } from '../../src/core/key.ts';
import { openContents } from '../../src/sources/open-contents.ts';
import { openScannedSet, type ScannedSet } from '../support/scanned-set.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testContents, testOutsideSource, testSource } from './source.ts';

describe('the files of a folder', () => {
  const folder = useTempFolder();
  let opened: ScannedSet | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  async function place() {
    mkdirSync(folder.at('root'));
    opened = await openScannedSet(folder);
    return {
      ...opened,
      keyOf: (name: string) => `/${name}`,
      write: (name: string, content: string) => folder.write(`root/${name}`, content),
      remove: (name: string) => folder.remove(`root/${name}`),
      lose: ({ key }: { readonly key: string }) => folder.remove(`root/${pathOfKey(key)}`),
      vanish: () => renameSync(folder.at('root'), folder.at('away')),
      comeBack: () => renameSync(folder.at('away'), folder.at('root')),
      contents: () => openContents({ kind: 'files', root: { root: folder.at('root'), exclude: [] } }),
    };
  }
  testSource('a folder', place);
  testOutsideSource('a folder', place);
  testContents('a folder', place);
});
