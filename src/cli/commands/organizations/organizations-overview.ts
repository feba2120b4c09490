import { Option } from 'commander';
import { OVERVIEW_SORTS, type OverviewOrder, type OverviewRow, overviewRows } from '../../../api/overview-view.ts';
import { formatAgo } from '../../../lib/format-ago.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { CliCommand } from '../../cli-command.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

const HEAD = ['ORGANIZATION', 'LAST UPLOAD', 'BY', 'FAILURES', 'WAITING', 'RECORDS', 'FULL DUMP', 'DELTA', 'SIZE'];

export const organizationsOverview: CliCommand<OverviewOrder> = {
  group: 'organizations',
  usage: 'overview',
  summary: 'Shows of each organization its last upload, failures of the last 30 days, records, dumps and size.',
  examples: [
    ['organizations overview', 'shows all of them'],
    ['organizations overview --sort failures --order desc', 'shows first those with the most failures'],
  ],

  options(command) {
    command
      .addOption(
        new Option('--sort <column>', 'what they are sorted by').choices(OVERVIEW_SORTS).default('organization'),
      )
      .addOption(new Option('--order <order>', 'ascending or descending').choices(['asc', 'desc']).default('asc'));
  },

  async run(call) {
    const figures = await withExistingApp(call, ({ records: { overview } }) => overview.read());
    const organizations = overviewRows(figures, call.options);
    const now = Date.now();
    const table = formatTable(
      HEAD,
      organizations.map((row) => cellsOf(row, now)),
    );
    await call.terminal.print(organizations.length === 0 ? 'There is no organization.' : table, { organizations });
  },
};

function cellsOf(row: OverviewRow, now: number): readonly (string | number)[] {
  const { organization, lastUpload, failures, waiting, records, lastFullDump, lastDelta, bytes } = row;
  const ago = (time: string | undefined, absent: string) =>
    time === undefined ? absent : formatAgo(Date.parse(time), now);
  return [
    ...[organization, ago(lastUpload?.received, '(never)'), lastUpload?.by?.name ?? '', failures, waiting, records],
    ...[ago(lastFullDump, '(none)'), ago(lastDelta, '(none)'), formatBytes(bytes)],
  ];
}
