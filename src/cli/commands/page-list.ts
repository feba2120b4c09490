import { pageView } from '../../api/views.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { formatTable } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

export const pageList: CliCommand = {
  group: 'page',
  usage: 'list <id>',
  summary: "Lists the pages of a set's Resource List.",
  examples: [['page list maps', 'lists the pages of its Resource List']],

  async run(call) {
    const pages = await withExistingApp(call, async ({ publishing: { publisher }, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return (await publisher.pages(set.slug)).map((page) => pageView(page, set, baseUrl));
    });
    const rows = pages.map(({ name, entries, length = '-', changed = '(never)', rendered = '(out of date)', from }) => {
      return [name, entries, length, changed, rendered, from === '' ? '(the beginning)' : from];
    });
    const table = formatTable(['PAGE', 'ENTRIES', 'BYTES', 'CHANGED', 'RENDERED', 'FROM KEY'], rows);
    await call.terminal.print(table, { pages });
    return EXIT.done;
  },
};
