import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import { armFailpoint, failpoint } from '../../lib/failpoint.ts';
import { syncFolderOf } from '../../lib/files/disk-sync.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import { copyStore } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { requireStore } from '../with-app.ts';

/** As `backup` names what it writes, with what SQLite may leave beside it. */
const UNFINISHED = /\.[0-9a-f-]{36}\.tidemark-part(?:-journal)?$/;
/** Milliseconds without a write after which it counts as left by a killed process, on any machine. */
const LEFT_AFTER_MS = 3_600_000;

export const backup: CliCommand = {
  usage: 'backup <file>',
  summary: 'Copies a consistent snapshot of the store to a new file. Servers may go on meanwhile.',
  examples: [['backup /backup/tidemark.db', 'while servers run']],

  async run({ args, loaded: { configuration }, terminal, workingDirectory, stopped: signal }) {
    const from = sqliteFile(configuration.store);
    armFailpoint(configuration.failpoint);
    await requireStore(configuration);
    const file = resolve(workingDirectory, args[0]!);
    requireFree(file);
    // Another backup may be writing to the same file.
    const unfinished = `${file}.${randomUUID()}.tidemark-part`;
    await removeLeft(dirname(file));
    const bar = startCountBar(terminal);
    try {
      await copyStore(from, unfinished, { signal, onProgress: (done, total) => bar.update('Copying', done, total) });
      failpoint('backup.copied');
      requireFree(file);
      await rename(unfinished, file);
      await syncFolderOf(file);
    } finally {
      bar.end();
      await rm(unfinished, { force: true });
    }
    const { size: bytes } = await stat(file);
    await terminal.print(`Copied the store to ${file} (${formatBytes(bytes)}).`, { file, bytes });
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

/** Removes what killed backups to a folder have left. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!UNFINISHED.test(name)) continue;
    const path = join(folder, name);
    // It may have its final name now, or belong to another user.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - LEFT_AFTER_MS) await rm(path, { force: true }).catch(() => {});
  }
}

function requireFree(file: string): void {
  if (existsSync(file)) throw new TidemarkError('invalid', `${file} exists already: name another file`, { file });
  const folder = dirname(file);
  if (!existsSync(folder)) throw new TidemarkError('invalid', `there is no folder ${folder}`, { folder });
}
