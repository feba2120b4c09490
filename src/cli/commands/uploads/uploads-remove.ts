import { userInfo } from 'node:os';
import { uploadView } from '../../../api/upload-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { RemovalPlan } from '../../../records/again/remove-upload.ts';
import type { Sender } from '../../../records/arrivals/upload.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { CliCommand } from '../../cli-command.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { namedUpload } from './upload-commands.ts';

interface RemoveOptions {
  readonly reason: string;
  readonly confirm?: true;
}

export const uploadsRemove: CliCommand<RemoveOptions> = {
  group: 'uploads',
  usage: 'remove <upload>',
  summary: 'Removes an upload: its bytes are deleted, and the stream is as if it had not come.',
  examples: [
    ["uploads remove lane/main/17 --reason 'sent by mistake'", 'asks, and says what is deleted'],
    ["uploads remove lane/main/17 --reason 'sent by mistake' --confirm", 'in a script'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .requiredOption('--reason <text>', 'why: one line, which others can read')
      .option('--confirm', 'yes, remove it; without this, a terminal asks');
  },

  async run(call) {
    const [id = ''] = call.args;
    const { reason, confirm } = call.options;
    const { view, plan } = await withExistingApp(call, async ({ records: { uploads, readingAgain } }) => {
      const upload = await namedUpload(uploads, id);
      const plan = await readingAgain.plan(upload);
      const what = describePlan(id, plan);
      if (confirm !== true && !(await askToConfirm(call, `Remove it? T${what.slice(1)}.`))) {
        throw new TidemarkError('conflict', `${what}. Say --confirm to remove it`, { upload: id });
      }
      const delivery = await readingAgain.remove(upload, { reason, by: userOfCommand() });
      return { view: uploadView(delivery, undefined, 'all'), plan };
    });
    const by = `${view.organization}/${view.stream}/${view.number}`;
    const text = `Removed the upload ${id}: the delivery ${by} takes it back as soon as a server is free, which frees ${formatBytes(plan.bytes)}.`;
    await call.terminal.print(text, view);
  },
};

/** Who runs a command. */
export function userOfCommand(): Sender {
  return { name: userInfo().username };
}

function describePlan(id: string, { files, bytes, entries }: RemovalPlan): string {
  const read = entries === undefined ? 'not read yet' : plural(entries, 'record or deletion', 'records and deletions');
  return `the upload ${id} has ${plural(files, 'file')}, ${read}: ${formatBytes(bytes)} are deleted for good, and the stream becomes as if it had not come`;
}
