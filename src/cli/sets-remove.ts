import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { withExistingApp } from './with-app.ts';

export const setsRemove: CliCommand = {
  group: 'sets',
  usage: 'remove <id>',
  summary: 'Takes a set out of the source. Files are not touched; its id cannot be used again.',

  async run(call) {
    const id = call.args[0]!;
    await withExistingApp(call, (app) => app.sets.remove(id));
    await call.terminal.print(`Removed the set ${id}.`, { removed: id });
    return EXIT.done;
  },
};
