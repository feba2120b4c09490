import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { resultView } from '../../api/views.ts';
import { TidemarkError } from '../../core/errors.ts';
import { formatStamp } from '../../core/stamp.ts';
import { type LineResult, postNdjson } from '../../ingest/ndjson-posting.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { oneOf } from '../options.ts';
import { printableLine } from '../ui/printable.ts';
import { plural } from '../ui/table.ts';
import type { Terminal } from '../ui/terminal.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly results: 'all' | 'failed';
}

interface Totals {
  applied: number;
  unchanged: number;
  rejected: number;
  /** Whether all of the input was read and posted. */
  complete: boolean;
}

export const changesPost: CliCommand<Options> = {
  group: 'changes',
  usage: 'post <id> [file]',
  summary: 'Posts change events, one JSON object a line, from a file or from standard input (-).',
  examples: [
    ['changes post papers events.ndjson', 'posts the events of a file'],
    ['changes post papers', 'posts what it reads from standard input'],
  ],

  options(command) {
    command.option(
      '--results <which>',
      'print what became of all events, or of failed ones (those that were rejected)',
      oneOf('all', 'failed'),
      'failed',
    );
  },

  async run(call) {
    const input = await openInput(call);
    const totals: Totals = { applied: 0, unchanged: 0, rejected: 0, complete: false };
    try {
      await withExistingApp(call, async ({ sets, postings: { receive } }) => {
        const set = await sets.bySlug(call.args[0]!);
        await receive({ set, sender: { kind: 'command-line' } }, async (posting) => {
          for await (const batch of postNdjson(input, posting)) await report(batch, totals, call);
        });
        // A stopped standard input just ends; do not report that it was read to its end.
        totals.complete = !call.stopped.aborted;
      });
    } finally {
      input.destroy();
      if (totals.complete || total(totals) > 0) await tellTotals(totals, call.terminal);
    }
    call.stopped.throwIfAborted();
    return totals.rejected > 0 ? EXIT.failed : EXIT.done;
  },
};

async function openInput({ args, terminal, workingDirectory, stopped }: Call<Options>): Promise<Readable> {
  const name = args[1] ?? '-';
  if (name === '-') {
    if (process.stdin.isTTY) terminal.say('Reading events from the terminal, one JSON object a line; Ctrl-D ends.');
    return addAbortSignal(stopped, terminal.stdin);
  }
  const file = resolve(workingDirectory, name);
  const stats = await stat(file).catch((error: Error) => {
    throw new TidemarkError('invalid', `${file} cannot be read: ${error.message}`, { file });
  });
  if (stats.isDirectory()) throw new TidemarkError('invalid', `${file} is a folder: name a file of events`, { file });
  return addAbortSignal(stopped, createReadStream(file, { highWaterMark: 1 << 18 }));
}

async function report(
  batch: readonly LineResult[],
  totals: Totals,
  { options, terminal }: Call<Options>,
): Promise<void> {
  for (const { result } of batch) totals[result.status] += 1;
  const printed = options.results === 'all' ? batch : batch.filter(({ result }) => result.status === 'rejected');
  // All events are posted, also when no process reads what became of them.
  if (printed.length > 0 && !terminal.closed.aborted)
    await terminal.write(printed.map(terminal.json ? toJsonLine : toLine).join(''));
}

function toLine({ number, result }: LineResult): string {
  switch (result.status) {
    case 'applied':
      return `line ${number}: ${result.kind} at ${formatStamp(result.stamp)}\n`;
    case 'unchanged':
      return `line ${number}: unchanged (${result.reason})\n`;
    case 'rejected':
      return `line ${number}: rejected (${result.code}): ${printableLine(result.message)}\n`;
  }
}

function toJsonLine({ number, result }: LineResult): string {
  return `${JSON.stringify({ number, ...resultView(result) })}\n`;
}

async function tellTotals(totals: Totals, terminal: Terminal): Promise<void> {
  const { applied, unchanged, rejected, complete } = totals;
  const message = `${plural(total(totals), 'event')}: ${applied} applied, ${unchanged} unchanged, ${rejected} rejected`;
  await terminal.print(complete ? message : `${message}; the rest was not posted`, totals);
}

function total({ applied, unchanged, rejected }: Totals): number {
  return applied + unchanged + rejected;
}
