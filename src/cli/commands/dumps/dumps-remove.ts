import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const dumpsRemove: CliCommand = {
  group: 'dumps',
  usage: 'remove <id>',
  summary: 'Removes the Resource Dump of a set, with all its packages.',
  examples: [['dumps remove maps', 'removes its packages']],
  settings: ['artifacts', 's3Timeout'],

  async run(call) {
    const set = call.args[0]!;
    const removed = await withExistingApp(call, ({ publishing: { dumps } }) => dumps.remove(set));
    await call.terminal.print(`Removed the dump of ${set}: ${plural(removed, 'package')}.`, { set, removed });
    return EXIT.done;
  },
};
