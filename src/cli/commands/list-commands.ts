import { archiveView } from '../../api/archive-view.ts';
import { clockStamp, formatStamp } from '../../core/stamp.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { KeptList } from '../../publish/archives/list-archives.ts';
import type { CliCommand } from '../cli-command.ts';
import { age } from '../options.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { formatTable, plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

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
  },
};

function describe(set: string, { at, isNew, resources, pages, stored, dump }: KeptList): string {
  const ofDump = dump === undefined ? '' : ` Its dump of ${formatStamp(dump.at)} was added to the archive of dumps.`;
  if (!isNew)
    return `${set}: nothing has changed since the list of ${formatStamp(at)}, which was kept before.${ofDump}`;
  const made = `${formatCount(stored)} of ${plural(pages, 'page')} stored`;
  return `${set}: kept the list of ${formatStamp(at)}, ${plural(resources, 'resource')}, ${made}.${ofDump}`;
}

export const listsList: CliCommand = {
  group: 'lists',
  usage: 'list <id>',
  summary: 'Lists the archived Resource Lists of a set, the newest first.',
  examples: [['lists list maps', 'lists what is kept']],

  async run(call) {
    const view = await withExistingApp(call, async ({ publishing: { listArchives }, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return archiveView(await listArchives.archiveOf(set), { set: set.slug, baseUrl });
    });
    const rows = view.lists.map(({ at, resources, pages, uri }) => [at, resources, pages, uri]);
    const table = formatTable(['AT', 'RESOURCES', 'PAGES', 'LIST'], rows);
    await call.terminal.print(rows.length === 0 ? 'No list is kept.' : table, view);
  },
};

export const listsPrune: CliCommand<{ olderThan: number }> = {
  group: 'lists',
  usage: 'prune <id>',
  summary: 'Removes the older ones of the archived Resource Lists of a set.',
  examples: [['lists prune maps --older-than 365d', 'removes lists that are older than a year']],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.requiredOption('--older-than <age>', 'how old the lists are that are removed, such as 90d or 12h', age);
  },

  async run(call) {
    const set = call.args[0]!;
    const before = clockStamp(Date.now() - call.options.olderThan);
    const removed = await withExistingApp(call, ({ publishing: { listArchives } }) => listArchives.prune(set, before));
    const times = removed.map(({ at }) => formatStamp(at));
    await call.terminal.print(`${set}: removed ${plural(removed.length, 'list')}.`, { set, removed: times });
  },
};
