import { dumpView } from '../../../api/dump-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const dumpsList: CliCommand = {
  group: 'dumps',
  usage: 'list <id>',
  summary: 'Lists the packages of the Resource Dump of a set.',

  async run(call) {
    const view = await withExistingApp(call, async ({ dumps, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return dumpView(await dumps.known.dumpOf(set), { set: set.slug, baseUrl });
    });
    const rows = view.packages.map(({ name, resources, missing, length, completed }) => {
      return [name, resources, missing, length, completed];
    });
    await call.terminal.print(formatTable(['PACKAGE', 'RESOURCES', 'MISSING', 'BYTES', 'COMPLETED'], rows), view);
    return EXIT.done;
  },
};
