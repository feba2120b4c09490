import { formatStamp } from '../../../core/stamp.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { KeptList } from '../../../publish/archives/list-archives.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const listsKeep: CliCommand = {
  group: 'lists',
  usage: 'keep <id>',
  summary: 'Keeps the Resource List of a set as it is now in the archive of its lists.',
  examples: [['lists keep maps', 'keeps the list as it is now']],
  settings: ['artifacts', 's3Timeout'],

  async run(call) {
    const { terminal, stopped: signal } = call;
    const set = call.args[0]!;
    const bar = startCountBar(terminal);
    const kept = await withExistingApp(call, ({ publishing: { listArchives } }) =>
      listArchives.keep(set, { signal, onProgress: ({ kept, pages }) => bar.update('Keeping pages', kept, pages) }),
    ).finally(() => bar.end());
    const { at, completed, name: _, dump, ...counts } = kept;
    const times = { at: formatStamp(at), completed: formatStamp(completed), dump: dump && formatStamp(dump.at) };
    await terminal.print(describe(set, kept), { set, ...times, ...counts });
    return EXIT.done;
  },
};

function describe(set: string, { at, isNew, resources, pages, stored, dump }: KeptList): string {
  const ofDump = dump === undefined ? '' : ` Its dump of ${formatStamp(dump.at)} was added to the archive of dumps.`;
  if (!isNew)
    return `${set}: nothing has changed since the list of ${formatStamp(at)}, which was kept before.${ofDump}`;
  const made = `${formatCount(stored)} of ${plural(pages, 'page')} stored`;
  return `${set}: kept the list of ${formatStamp(at)}, ${plural(resources, 'resource')}, ${made}.${ofDump}`;
}
