import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { viewSets } from '../../set-view.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const setsList: CliCommand = {
  group: 'sets',
  usage: 'list',
  summary: 'Lists the sets.',
  examples: [['sets list', 'lists them with their numbers of resources and changes']],

  async run(call) {
    const sets = await withExistingApp(call, viewSets);
    const rows = sets.map(({ set, resources, changes, lastChange = '(none)', root, urlPrefix, private: isPrivate }) => {
      return [isPrivate ? `${set} (private)` : set, resources, changes, lastChange, root ?? urlPrefix];
    });
    const table = formatTable(['SET', 'RESOURCES', 'CHANGES', 'LAST CHANGE', 'ROOT OR PREFIX'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no set.' : table, { sets });
    return EXIT.done;
  },
};
