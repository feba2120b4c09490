import { uploadsView } from '../../../api/upload-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { sizeOf } from './describe-upload.ts';

interface Options {
  readonly stream?: string;
  readonly limit: number;
}

export const uploadsList: CliCommand<Options> = {
  group: 'uploads',
  usage: 'list <organization>',
  summary: 'Lists uploads of a stream, newest first.',
  examples: [['uploads list lane', 'lists the last ones of the default stream']],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: the default one of the organization)')
      .option('--limit <number>', 'how many, at most', wholeNumber(1, 10_000), 20);
  },

  async run(call) {
    const [organization = ''] = call.args;
    const { stream, limit } = call.options;
    const page = { limit };
    const view = await withExistingApp(call, async ({ records: { uploads } }) => {
      return uploadsView(organization, await uploads.list(organization, stream, page), page);
    });
    const rows = view.uploads.map(({ number, received, name = '', files, status, totals, ignored }) => {
      const counts = [
        totals?.records ?? '',
        totals?.deletions ?? '',
        totals?.errors ?? '',
        totals === undefined ? '' : (ignored ?? 0),
      ];
      return [number, received.slice(0, 19), sizeOf(files), status, ...counts, name];
    });
    const heads = ['NUMBER', 'RECEIVED (UTC)', 'FILES', 'STATUS', 'RECORDS', 'DELETIONS', 'ERRORS', 'IGNORED', 'NAME'];
    const table = formatTable(heads, rows);
    await call.terminal.print(rows.length === 0 ? 'There is no upload.' : table, view);
    return EXIT.done;
  },
};
