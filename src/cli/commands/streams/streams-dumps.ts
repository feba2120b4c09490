import { streamDumpsView } from '../../../api/stream-dump-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly stream?: string;
}

export const streamsDumps: CliCommand<Options> = {
  group: 'streams',
  usage: 'dumps <organization>',
  summary: 'Lists the full dumps and deltas of a stream, oldest first.',
  examples: [
    ['streams dumps lane', 'lists those of the default stream'],
    ['streams dumps lane --json', 'with the names, digests and addresses of their files'],
  ],

  options(command) {
    command.option('--stream <stream>', 'the stream (default: whichever is the default one)');
  },

  async run(call) {
    const [organization = ''] = call.args;
    const { stream } = call.options;
    const view = await withExistingApp(call, async (app) => {
      await app.records.organizations.requireStream(organization, stream);
      return streamDumpsView({ organization, ...(stream !== undefined && { stream }) }, app);
    });
    const rows = view.dumps.map(({ number, kind, at, totals, files }) => {
      const bytes = files.reduce((sum, { length }) => sum + length, 0);
      return [number, kind, at.slice(0, 19), totals.records, totals.deletions, totals.errata, bytes];
    });
    const table = formatTable(['NUMBER', 'KIND', 'MADE (UTC)', 'RECORDS', 'DELETIONS', 'ERRATA', 'BYTES'], rows);
    const underWay = view.underWay.map(({ kind, job, since, text }) => {
      const what = kind === 'full' ? 'full dump' : 'delta';
      return `Under way: a ${what}, requested at ${since.slice(0, 19)}${text === undefined ? '' : ` (${text})`}: ${job}`;
    });
    await call.terminal.print([rows.length === 0 ? 'There is no dump.' : table, ...underWay].join('\n'), view);
    return EXIT.done;
  },
};
