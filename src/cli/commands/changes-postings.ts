import { postingView } from '../../api/views.ts';
import { MOST_ENTRIES, type PostingEntry, senderText } from '../../observe/audit/posting-entry.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { formatTable, plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

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
    return EXIT.done;
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
