import { formatCount } from '../../../lib/format-count.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { eachErratum } from '../../../records/errata/read-errata.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { printableLine } from '../../ui/printable.ts';
import { withExistingApp } from '../../with-app.ts';
import { namedUpload } from './named-upload.ts';

export const uploadsErrors: CliCommand = {
  group: 'uploads',
  usage: 'errors <upload>',
  summary: 'Lists the records of an upload that could not be read, with position and reason.',
  examples: [
    ['uploads errors lane/main/17', 'lists them, one in a line'],
    ['uploads errors lane/main/17 --json', 'the same, each as a line of JSON'],
  ],

  async run(call) {
    await withExistingApp(call, async ({ records: { uploads } }) => {
      const upload = await namedUpload(uploads, call.args[0]);
      const state = await uploads.stateOf(upload);
      const body = await uploads.openErrata(upload, state);
      if (body === undefined) return;
      for await (const erratum of eachErratum(body)) await call.terminal.print(describe(erratum), erratum);
      for (const { reason, count } of state?.read?.reasons ?? []) call.terminal.say(`${formatCount(count)}: ${reason}`);
    });
    return EXIT.done;
  },
};

function describe({ path = [], ordinal = 0, offset = 0, id, reason, warning }: Erratum): string {
  const which = id === undefined ? '' : ` (${id})`;
  const place = `number ${formatCount(ordinal)}${which}, at byte ${formatCount(offset)}`;
  return printableLine(
    `${path.join(' > ')}: ${place}: ${warning ? 'warning, the record was taken over: ' : ''}${reason}`,
  );
}
