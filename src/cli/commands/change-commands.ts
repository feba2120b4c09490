import { postingView, resultView } from '../../api/posting-view.ts';
import type { Change } from '../../core/change.ts';
import type { Hashes } from '../../core/hash.ts';
import { locationOf } from '../../core/key.ts';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../../core/stamp.ts';
import { formatSeconds } from '../../core/w3c-datetime.ts';
import { type LineResult, postNdjson } from '../../ingest/ndjson-posting.ts';
import { MOST_ENTRIES, type PostingEntry, senderText } from '../../observe/audit/posting-entry.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { openInput } from '../open-input.ts';
import { oneOf, timestamp } from '../options.ts';
import { printableLine } from '../ui/printable.ts';
import { formatTable, plural } from '../ui/table.ts';
import type { Terminal } from '../ui/terminal.ts';
import { withExistingApp } from '../with-app.ts';

interface PostOptions {
  readonly results: 'all' | 'failed';
}

interface Totals {
  applied: number;
  unchanged: number;
  rejected: number;
  /** Whether all of the input was read and posted. */
  complete: boolean;
}

export const changesPost: CliCommand<PostOptions> = {
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
    const input = await openInput(call, call.args[1] ?? '-', 'events');
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

async function report(
  batch: readonly LineResult[],
  totals: Totals,
  { options, terminal }: Call<PostOptions>,
): Promise<void> {
  for (const { result } of batch) totals[result.status] += 1;
  const printed = options.results === 'all' ? batch : batch.filter(({ result }) => result.status === 'rejected');
  // All events are posted, also when no process reads what became of them.
  if (printed.length > 0 && !terminal.closed.aborted)
    await terminal.write(printed.map(terminal.json ? resultJson : resultLine).join(''));
}

function resultLine({ number, result }: LineResult): string {
  switch (result.status) {
    case 'applied':
      return `line ${number}: ${result.kind} at ${formatStamp(result.stamp)}\n`;
    case 'unchanged':
      return `line ${number}: unchanged (${result.reason})\n`;
    case 'rejected':
      return `line ${number}: rejected (${result.code}): ${printableLine(result.message)}\n`;
  }
}

function resultJson({ number, result }: LineResult): string {
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

interface ListOptions {
  readonly from?: Stamp;
  readonly until?: Stamp;
}

export const changesList: CliCommand<ListOptions> = {
  group: 'changes',
  usage: 'list <id>',
  summary: 'Lists changes in the order of time, one a line; with --json as events that can be posted again.',
  examples: [['changes list maps --from 2026-01-31', 'lists the changes since a day (UTC)']],

  options(command) {
    command
      .option('--from <time>', 'changes from this time on: 2026-01-31T12:00:00Z, or a day', timestamp('first'))
      .option('--until <time>', 'changes up to this time, or the end of this day', timestamp('last'));
  },

  async run(call) {
    const { terminal, options, args, stopped } = call;
    const after = options.from === undefined ? 0 : boundaryBefore(options.from);
    const until = options.until === undefined ? undefined : boundaryAfter(options.until);
    const format = terminal.json ? changeJson : changeLine;
    await withExistingApp(call, async ({ sets, index }) => {
      const { id } = await sets.bySlug(args[0]!);
      for await (const batch of index.changes(id, { after, until })) {
        stopped.throwIfAborted();
        await terminal.write(batch.map(format).join(''));
      }
    });
  },
};

function changeLine({ stamp, kind, key }: Change): string {
  return `${formatStamp(stamp)}  ${kind.padEnd(7)}  ${key}\n`;
}

/** Formats a change like a posted event. */
function changeJson({ key, kind, stamp, state, order }: Change): string {
  const event = {
    location: locationOf(key),
    change: kind,
    datetime: formatStamp(stamp),
    lastmod: state?.lastmod === undefined ? undefined : formatSeconds(state.lastmod),
    length: state?.length,
    hash: hashText(state?.hashes),
    mime: state?.mime,
    ln: state?.links?.map(({ hashes, modified, ...link }) => ({
      ...link,
      href: locationOf(link.href),
      modified: modified === undefined ? undefined : formatSeconds(modified),
      hash: hashText(hashes),
    })),
    order,
  };
  return `${JSON.stringify(event)}\n`;
}

function hashText(hashes: Hashes = {}): string | undefined {
  const texts = Object.entries(hashes).map(([algorithm, digest]) => `${algorithm}:${digest}`);
  return texts.length === 0 ? undefined : texts.join(' ');
}

export const changesPostings: CliCommand = {
  group: 'changes',
  usage: 'postings <id>',
  summary: 'Lists recent postings, newest first: who posted, and what was rejected and why.',
  examples: [['changes postings papers', 'shows who posted what, and what was rejected']],

  async run(call) {
    const entries = await withExistingApp(call, async ({ sets, postings: { log: postingLog } }) => {
      const { id } = await sets.bySlug(call.args[0]!);
      return postingLog.read(id, MOST_ENTRIES);
    });
    await call.terminal.print(describe(entries), { postings: entries.map(postingView) });
  },
};

function describe(entries: readonly PostingEntry[]): string {
  if (entries.length === 0) return 'No postings are recorded. A server records a posting some seconds later.';
  const rows = entries.map(({ began, sender, applied, unchanged, rejected }) => {
    return [applied, unchanged, rejected, new Date(began).toISOString(), senderText(sender)];
  });
  const table = formatTable(['APPLIED', 'UNCHANGED', 'REJECTED', 'BEGAN', 'SENDER'], rows);
  return [table, ...entries.flatMap(troubles)].join('\n');
}

function troubles({ began, rejected, rejections, problem }: PostingEntry): readonly string[] {
  const at = new Date(began).toISOString();
  const lines = rejections.map(({ number, location, code, message }) => {
    return `  ${[number, location, `${code}: ${message}`].filter((part) => part !== undefined).join('  ')}`;
  });
  if (rejected > 0) lines.unshift(`\n${at}: ${plural(rejected, 'event')} rejected`);
  if (rejected > rejections.length) lines.push(`  … and ${rejected - rejections.length} more`);
  if (problem !== undefined) lines.push(`\n${at}: ${problem}`);
  return lines;
}
