import { uploadView } from '../../../api/upload-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { namedUpload } from './named-upload.ts';

export const uploadsRetry: CliCommand = {
  group: 'uploads',
  usage: 'retry <upload>',
  summary: 'Has an upload processed again that has failed, or at once when it waits for another attempt.',
  examples: [['uploads retry lane/main/17', 'a server processes it again']],

  async run(call) {
    const [id = ''] = call.args;
    const view = await withExistingApp(call, async (app) => {
      const upload = await namedUpload(app.records.uploads, id);
      return uploadView(upload, await app.jobs.uploads.retry(upload));
    });
    await call.terminal.print(`The upload ${id} is processed again, as soon as a server is free.`, view);
    return EXIT.done;
  },
};
