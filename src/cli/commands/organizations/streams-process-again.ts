import { uploadView } from '../../../api/upload-view.ts';
import { statusOf } from '../../../records/arrivals/upload-state.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { settled } from '../uploads/upload-commands.ts';
import { userOfCommand } from '../uploads/uploads-remove.ts';

interface ProcessAgainOptions {
  readonly wait?: true;
}

export const streamsProcessAgain: CliCommand<ProcessAgainOptions> = {
  group: 'streams',
  usage: 'process-again <organization> [stream]',
  summary:
    'Has all uploads of a stream processed again, as after another normalization: what is read otherwise changes.',
  examples: [
    ['streams process-again lane', 'those of the default stream, as soon as a server is free'],
    ['streams process-again lane main --wait', 'waits until a server has done so: for scripts'],
  ],

  options(command) {
    command.option('--wait', 'wait until it is processed, or has failed: then the exit code is 1');
  },

  async run(call) {
    const [organization = '', stream] = call.args;
    const { view, status } = await withExistingApp(call, async ({ records: { uploads, readingAgain } }) => {
      const delivery = await readingAgain.processAgain({ organization, stream, by: userOfCommand() });
      const state = call.options.wait && (await settled(uploads, delivery, call.stopped));
      return { view: uploadView(delivery, state, 'all'), status: statusOf(state) };
    });
    const id = `${organization}/${view.stream}/${view.number}`;
    const text = call.options.wait
      ? `The delivery ${id} is ${status}: "tidemark uploads show ${id}" shows what has changed.`
      : `The delivery ${id} processes the stream again, as soon as a server is free.`;
    await call.terminal.print(text, view);
    return call.options.wait && status === 'failed' ? EXIT.failed : EXIT.done;
  },
};
