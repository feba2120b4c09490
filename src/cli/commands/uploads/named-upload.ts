import { TidemarkError } from '../../../core/errors.ts';
import { parseUploadNumber, type Upload } from '../../../records/arrivals/upload.ts';
import type { Uploads } from '../../../records/arrivals/uploads.ts';

/** The upload that an argument names: `ORGANIZATION/STREAM/NUMBER`. @throws TidemarkError `invalid`, `not-found` */
export function namedUpload(uploads: Pick<Uploads, 'get'>, id = ''): Promise<Upload> {
  const [organization = '', stream = '', number, ...rest] = id.split('/');
  if (number === undefined || rest.length > 0) {
    throw new TidemarkError('invalid', `"${id}" is not an upload: write ORGANIZATION/STREAM/NUMBER`, { upload: id });
  }
  return uploads.get(organization, stream, parseUploadNumber(number));
}
