import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeBackupFile } from '../../backup/backup-file.ts';
import { TidemarkError } from '../../core/errors.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { requireStore } from '../with-app.ts';

export const backup: CliCommand = {
  usage: 'backup <file>',
  summary:
    'Copies a consistent snapshot of the store to a new file, and compares the copy with it. Servers may go on meanwhile.',
  examples: [['backup /backup/tidemark.db', 'while servers run']],

  async run({ args, loaded: { configuration }, terminal, workingDirectory, stopped: signal }) {
    const from = sqliteFile(configuration.store);
    armFailpoint(configuration.failpoint);
    await requireStore(configuration);
    const file = resolve(workingDirectory, args[0]!);
    const bar = startCountBar(terminal);
    const onProgress = (done: number, total: number) => bar.update('Copying', done, total);
    await makeBackupFile(from, file, { signal, onProgress }).finally(() => bar.end());
    const { size: bytes } = await stat(file);
    await terminal.print(`Copied the store to ${file} (${formatBytes(bytes)}), and compared the copy with it.`, {
      file,
      bytes,
    });
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
