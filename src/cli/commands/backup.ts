import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { StoreLocation } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { syncFolderOf } from '../../lib/disk-sync.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { copyStore } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { requireStore } from '../with-app.ts';

export const backup: CliCommand = {
  usage: 'backup <file>',
  summary: 'Copies a consistent snapshot of the store to a new file. Servers may go on meanwhile.',
  examples: [['backup /backup/tidemark.db', 'while servers run']],

  async run({ args, loaded: { configuration }, terminal, workingDirectory, stopped: signal }) {
    const from = sqliteFile(configuration.store);
    await requireStore(configuration);
    const file = resolve(workingDirectory, args[0]!);
    requireFree(file);
    // Another backup may be writing to the same file.
    const unfinished = `${file}.${randomUUID()}.part`;
    const bar = startCountBar(terminal);
    try {
      await copyStore(from, unfinished, { signal, onProgress: (done, total) => bar.update('Copying', done, total) });
      requireFree(file);
      await rename(unfinished, file);
      await syncFolderOf(file);
    } finally {
      bar.end();
      await rm(unfinished, { force: true });
    }
    const { size: bytes } = await stat(file);
    await terminal.print(`Copied the store to ${file} (${formatBytes(bytes)}).`, { file, bytes });
    return EXIT.done;
  },
};

/**
 * The file of the store.
 * @throws TidemarkError `invalid` for a store that is not a file
 */
export function sqliteFile(store: StoreLocation): string {
  if (store.kind === 'sqlite') return store.file;
  throw new TidemarkError(
    'invalid',
    'a store on Elasticsearch is saved and restored by the snapshots of Elasticsearch: see docs/operating.md',
    { field: 'store' },
  );
}

function requireFree(file: string): void {
  if (existsSync(file)) throw new TidemarkError('invalid', `${file} exists already: name another file`, { file });
  const folder = dirname(file);
  if (!existsSync(folder)) throw new TidemarkError('invalid', `there is no folder ${folder}`, { folder });
}
