import { formatStamp } from '../../../core/stamp.ts';
import { timeName } from '../../../publish/archives/stored-archive.ts';
import { setUris } from '../../../publish/documents.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const listsList: CliCommand = {
  group: 'lists',
  usage: 'list <id>',
  summary: 'Lists the archived Resource Lists of a set, the oldest first.',

  async run(call) {
    const { archived, uris } = await withExistingApp(call, async ({ listArchives, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return { archived: await listArchives.list(set), uris: setUris(baseUrl, set.slug) };
    });
    const lists = archived.map(({ at, completed, resources, pages }) => {
      const times = { at: formatStamp(at), completed: formatStamp(completed) };
      return { ...times, resources, pages, uri: uris.archivedList(timeName(at)) };
    });
    const rows = lists.map(({ at, resources, pages, uri }) => [at, resources, pages, uri]);
    await call.terminal.print(formatTable(['AT', 'RESOURCES', 'PAGES', 'LIST'], rows), { lists });
    return EXIT.done;
  },
};
