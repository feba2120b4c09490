import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { folderPlace } from '../../src/client/mirror/target/folder-place.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testMirrorTarget } from './mirror-target.ts';

describe('a folder as the target of a mirror', () => {
  const folder = useTempFolder();

  testMirrorTarget(() => {
    const root = folder.at('copy');
    const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
    return {
      place: () => folderPlace(root),
      write: async (path, text) => folder.write(join('copy', path), text),
      async files() {
        const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const paths = found.map((entry) => relative(root, join(entry.parentPath, entry.name)));
        const copied = paths.filter((path) => !/^\.tidemark-mirror[./]/.test(path));
        return Object.fromEntries(copied.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
      },
      leftovers: async () => namesIn(join(root, '.tidemark-mirror/unfinished')),
    };
  });
});
