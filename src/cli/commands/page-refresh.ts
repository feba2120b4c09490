import { pageView } from '../../api/views.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

export const pageRefresh: CliCommand = {
  group: 'page',
  usage: 'refresh <id> <name>',
  summary: 'Renders one page of a Resource List anew from the store, and no other page.',
  examples: [['page refresh maps 1-00000001', 'renders a page again from the store']],

  async run(call) {
    const [slug = '', name = ''] = call.args;
    const page = await withExistingApp(call, async ({ publisher, sets }) => {
      const set = await sets.bySlug(slug);
      return pageView(await publisher.refreshPage(slug, name), set, (await sets.source()).baseUrl);
    });
    const entries = plural(page.entries, 'entry', 'entries');
    await call.terminal.print(`Rendered page ${name} of ${slug} anew: ${entries}.`, page);
    return EXIT.done;
  },
};
