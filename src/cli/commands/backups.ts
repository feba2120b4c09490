import { isUnchanged, type KeptBackup, listBackups } from '../../backup/backup-folder.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { formatTable } from '../ui/table.ts';

interface Options {
  readonly check?: boolean;
}

export const backups: CliCommand<Options> = {
  usage: 'backups',
  summary: 'Lists the backups that a schedule has made, the newest first. Also without a store.',
  examples: [
    ['backups', 'names the file to restore'],
    ['backups --check', 'reads them, and finds what the disk has changed since'],
  ],
  settings: ['backupTo'],

  options(command) {
    command.option('--check', 'read each, and compare it with its digest; exit code 1 when one is damaged');
  },

  async run({ options, loaded: { configuration }, terminal, stopped }) {
    const { backupFolder: folder } = configuration;
    const bar = startCountBar(terminal);
    const found = await listBackups(folder);
    const rows: (KeptBackup & { readonly damage?: string })[] = [];
    try {
      for (const backup of found) {
        const damage = options.check ? await damageOf(backup, stopped) : undefined;
        rows.push({ ...backup, ...(damage !== undefined && { damage }) });
        if (options.check) bar.update('Reading backups', rows.length, found.length);
      }
    } finally {
      bar.end();
    }
    await terminal.print(describe(folder, rows), { folder, backups: rows });
    return rows.some(({ damage }) => damage !== undefined) ? EXIT.failed : EXIT.done;
  },
};

async function damageOf(backup: KeptBackup, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await isUnchanged(backup, signal)) ? undefined : 'it has other bytes than when it was made';
  } catch (error) {
    signal.throwIfAborted();
    return `it cannot be read: ${reasonOf(error)}`;
  }
}

function describe(folder: string, rows: readonly (KeptBackup & { readonly damage?: string })[]): string {
  if (rows.length === 0) return `There is no backup in ${folder}.`;
  return formatTable(
    ['FILE', 'MADE', 'SIZE', 'CHECKED'],
    rows.map(({ file, made, bytes, checked, damage }) => {
      return [file, made, formatBytes(bytes), damage === undefined ? checked : `DAMAGED: ${damage}`];
    }),
  );
}
