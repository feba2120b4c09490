import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporaryFolder } from '../temporary-folder.ts';
import { Tidemark } from '../tidemark.ts';
import type { LargeSource } from './large-source.ts';

export async function sqliteSource(folder: TemporaryFolder, count: number): Promise<LargeSource> {
  const tidemark = await Tidemark.create(folder.next('data'));
  return {
    tidemark,
    count,
    // The file, and beside it what is not in the file yet.
    async storeBytes() {
      const files = readdirSync(tidemark.dataFolder).filter((name) => name.startsWith('tidemark.db'));
      return files.reduce((sum, name) => sum + statSync(join(tidemark.dataFolder, name)).size, 0);
    },
    empty: () => sqliteSource(folder, count),
    async remove() {
      rmSync(tidemark.dataFolder, { recursive: true, force: true });
    },
  };
}
