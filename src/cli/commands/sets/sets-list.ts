import type { CliCommand } from '../../cli-command.ts';
import { type OperatorSetView, viewSets } from '../../set-view.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const setsList: CliCommand = {
  group: 'sets',
  usage: 'list',
  summary: 'Lists the sets.',
  examples: [['sets list', 'lists them with their numbers of resources and changes']],

  async run(call) {
    const sets = await withExistingApp(call, viewSets);
    const rows = sets.map((view) => {
      const { resources, changes, lastChange = '(none)', root, from, publishes, urlPrefix } = view;
      return [named(view), resources, changes, lastChange, root ?? from ?? publishes ?? urlPrefix];
    });
    const table = formatTable(['SET', 'RESOURCES', 'CHANGES', 'LAST CHANGE', 'SOURCE OR PREFIX'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no set.' : table, { sets });
  },
};

function named({ set, private: isPrivate, trouble }: OperatorSetView): string {
  return `${set}${isPrivate ? ' (private)' : ''}${trouble === undefined ? '' : ' (not in sync)'}`;
}
