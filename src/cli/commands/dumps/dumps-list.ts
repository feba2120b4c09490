import { formatStamp } from '../../../core/stamp.ts';
import { setUris } from '../../../publish/documents.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const dumpsList: CliCommand = {
  group: 'dumps',
  usage: 'list <id>',
  summary: 'Lists the packages of the Resource Dump of a set.',

  async run(call) {
    const { dump, uris } = await withExistingApp(call, async ({ dumps, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return { dump: await dumps.known.dumpOf(set), uris: setUris(baseUrl, set.slug) };
    });
    const packages = dump.packages.map(({ name, resources, missing, length, sha256, at, completed }) => ({
      ...{ name, uri: uris.dumpPackage(name), contents: uris.dumpManifest(name), resources, missing, length, sha256 },
      ...{ at: formatStamp(at), completed: formatStamp(completed) },
    }));
    const rows = packages.map(({ name, resources, missing, length, completed }) => {
      return [name, resources, missing, length, completed];
    });
    await call.terminal.print(formatTable(['PACKAGE', 'RESOURCES', 'MISSING', 'BYTES', 'COMPLETED'], rows), {
      at: formatStamp(dump.at),
      completed: formatStamp(dump.completed),
      packages,
    });
    return EXIT.done;
  },
};
