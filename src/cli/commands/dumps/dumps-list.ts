import type { ChangeDumpView, DumpView } from '../../../api/dump-schemas.ts';
import { changeDumpView, dumpView } from '../../../api/dump-views.ts';
import { hasChangeDump } from '../../../core/resource-set.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const dumpsList: CliCommand = {
  group: 'dumps',
  usage: 'list <id>',
  summary: 'Lists the packages of the Resource Dump of a set, and those of its Change Dump.',
  examples: [['dumps list maps', 'lists its packages']],

  async run(call) {
    const { dump, changeDump } = await withExistingApp(call, async ({ publishing, sets }) => {
      const { known } = publishing.dumps;
      const set = await sets.bySlug(call.args[0]!);
      const shown = { set: set.slug, baseUrl: (await sets.source()).baseUrl };
      return {
        dump: dumpView(await known.dumpOf(set), shown),
        changeDump: hasChangeDump(set) ? changeDumpView(await known.changePackagesOf(set), shown) : undefined,
      };
    });
    const text = changeDump === undefined ? describe(dump) : `${describe(dump)}\n${describeChanges(changeDump)}`;
    await call.terminal.print(text, { ...dump, ...(changeDump && { changeDump }) });
    return EXIT.done;
  },
};

function describe({ packages }: DumpView): string {
  const rows = packages.map(({ name, resources, missing, length, completed }) => {
    return [name, resources, missing, length, completed];
  });
  return formatTable(['PACKAGE', 'RESOURCES', 'MISSING', 'BYTES', 'COMPLETED'], rows);
}

function describeChanges({ packages, totals, from, until }: ChangeDumpView): string {
  const rows = packages.map((one) => [one.name, one.changes, one.length, one.from, one.until]);
  const about = `Change Dump: ${plural(totals.windows, 'window')}, ${plural(totals.changes, 'change')}, from ${from} until ${until}`;
  return `\n${about}\n${formatTable(['PACKAGE', 'CHANGES', 'BYTES', 'FROM', 'UNTIL'], rows)}`;
}
