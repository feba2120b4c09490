import { setTimeout as wait } from 'node:timers/promises';
import { uploadView } from '../../../api/upload-views.ts';
import type { App } from '../../../app.ts';
import type { Upload } from '../../../records/arrivals/upload.ts';
import { statusOf, type UploadState } from '../../../records/arrivals/upload-state.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeUpload } from './describe-upload.ts';
import { namedUpload } from './named-upload.ts';

interface Options {
  readonly wait?: true;
}

const POLL_MS = 500;

export const uploadsShow: CliCommand<Options> = {
  group: 'uploads',
  usage: 'show <upload>',
  summary: 'Shows one upload: its status, what every file was taken for, and what became of its records.',
  examples: [
    ['uploads show lane/main/17', 'shows it as it is now'],
    ['uploads show lane/main/17 --wait', 'waits until a server has processed it: for scripts'],
  ],

  options(command) {
    command.option('--wait', 'wait until it is processed, or has failed: then the exit code is 1');
  },

  async run(call) {
    const { view, status } = await withExistingApp(call, async ({ records: { uploads } }) => {
      const upload = await namedUpload(uploads, call.args[0]);
      const state = await (call.options.wait ? settled(uploads, upload, call.stopped) : uploads.stateOf(upload));
      return { view: uploadView(upload, state), status: statusOf(state) };
    });
    await call.terminal.print(describeUpload(view), view);
    return call.options.wait && status === 'failed' ? EXIT.failed : EXIT.done;
  },
};

async function settled(
  uploads: Pick<App['records']['uploads'], 'stateOf'>,
  upload: Upload,
  stopped: AbortSignal,
): Promise<UploadState | undefined> {
  for (;;) {
    const state = await uploads.stateOf(upload);
    const status = statusOf(state);
    if (status === 'processed' || status === 'failed') return state;
    await wait(POLL_MS, undefined, { signal: stopped });
  }
}
