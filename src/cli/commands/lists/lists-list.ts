import { archiveView } from '../../../api/archive-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

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
    return EXIT.done;
  },
};
