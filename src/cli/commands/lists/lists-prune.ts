import { clockStamp, formatStamp } from '../../../core/stamp.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { age } from '../../options.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

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
    return EXIT.done;
  },
};
