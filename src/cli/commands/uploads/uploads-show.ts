import { uploadView } from '../../../api/upload-views.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { parseUploadNumber } from '../../../streams/uploads/upload.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeUpload } from './describe-upload.ts';

export const uploadsShow: CliCommand = {
  group: 'uploads',
  usage: 'show <upload>',
  summary: 'Shows one upload with its files.',
  examples: [['uploads show lane/main/17', 'shows what was uploaded, with lengths and digests']],

  async run(call) {
    const [id = ''] = call.args;
    const [organization = '', stream = '', number, ...rest] = id.split('/');
    if (number === undefined || rest.length > 0) {
      throw new TidemarkError('invalid', `"${id}" is no upload: write ORGANIZATION/STREAM/NUMBER`, { upload: id });
    }
    const view = await withExistingApp(call, async ({ uploads }) => {
      return uploadView(await uploads.get(organization, stream, parseUploadNumber(number)));
    });
    await call.terminal.print(describeUpload(view), view);
    return EXIT.done;
  },
};
