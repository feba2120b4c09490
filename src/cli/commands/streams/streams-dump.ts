import { streamDumpView } from '../../../api/stream-dump-views.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { StreamDump } from '../../../records/dumps/stored-dump.ts';
import { streamText } from '../../../records/set-names.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly stream?: string;
  readonly full?: true;
  readonly delta?: true;
}

export const streamsDump: CliCommand<Options> = {
  group: 'streams',
  usage: 'dump <organization>',
  summary: 'Makes a delta of the records of a stream, or with --full a full dump, which waits for uploads under way.',
  examples: [
    ['streams dump lane', 'what has changed since the last delta; the first time, a full dump'],
    ['streams dump lane --full', 'a full dump, and a delta up to it'],
    ['streams dump lane --stream test', 'of a stream that is not the default one'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: whichever is the default one)')
      .option('--full', 'make a full dump')
      .option('--delta', 'make a delta (the default)');
  },

  async run(call) {
    const { full, delta, stream } = call.options;
    if (full && delta) throw new TidemarkError('invalid', 'give --full or --delta, not both');
    const [organization = ''] = call.args;
    const name = { organization, ...(stream !== undefined && { stream }) };
    const bar = startCountBar(call.terminal);
    const made = await withExistingApp(call, async ({ records: { organizations, streamDumps } }) => {
      await organizations.requireStream(organization, stream);
      return streamDumps
        .build(name, full ? 'full' : 'delta', {
          signal: call.stopped,
          onWaiting: (reason) => bar.waits(reason),
          onProgress: ({ done, total, text }) => bar.update(text, done, total ?? done),
        })
        .catch(throwAsNotReady);
    }).finally(() => bar.end());
    const lines = made.map(describe);
    const text = lines.length === 0 ? 'Nothing has changed since the last dump: none was made.' : lines.join('\n');
    const dumps = made.map((dump) => streamDumpView(dump));
    await call.terminal.print(`${streamText(name)}: ${text}`, { ...name, dumps });
    return EXIT.done;
  },
};

/** An upload in progress, or a dump of another process, is not wrong usage: the same command may succeed later. */
function throwAsNotReady(error: unknown): never {
  if (!isTidemarkError(error, 'conflict')) throw error;
  throw new TidemarkError('not-ready', error.message, error.details, error);
}

function describe({ number, kind, totals, files }: StreamDump): string {
  const { records, deletions, errata } = totals;
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const what = [plural(records, 'record'), ...(kind === 'delta' ? [plural(deletions, 'deletion')] : [])];
  const wrong = errata === 0 ? [] : [errata === 1 ? '1 erratum' : `${errata} errata`];
  const title = kind === 'full' ? 'full dump' : 'delta';
  return `${title} ${number}: ${[...what, ...wrong].join(', ')}, ${plural(files.length, 'file')}, ${formatBytes(bytes)}.`;
}
