import { access, constants, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { reasonOf } from '../../../lib/system-error.ts';
import { notUsable } from '../not-usable.ts';
import { type Transform, TransformError } from '../transform.ts';
import { FolderFetch, SHEET_SCHEME } from './folder-fetch.ts';
import { loadXsltEngine } from './xslt-engine.ts';

/**
 * Reads the transform of a sheet of XSLT, which is compiled once. Called in a thread of transforms: see
 * `loadXsltEngine`.
 * @throws TidemarkError `invalid` for a file that cannot be read, or is not a sheet
 */
export async function readSheet(file: string): Promise<Transform> {
  await access(file, constants.R_OK).catch((error: Error) => {
    throw notUsable(file, `cannot be read: ${reasonOf(error)}`);
  });
  const engine = await loadXsltEngine(new FolderFetch(await realpath(dirname(file))));
  const name = basename(file);
  const sheet = await engine.compile(`${SHEET_SCHEME}///${encodeURIComponent(name)}`).catch((error: Error) => {
    throw notUsable(file, `cannot be used: ${error.message}`);
  });
  return {
    name,
    async transform({ id, document, mimetype }) {
      if (mimetype !== undefined && mimetype !== 'application/xml') {
        throw new TransformError('mimetype', `the sheet is for application/xml, and the record is ${mimetype}`);
      }
      return { id, document: await engine.apply(sheet, document) };
    },
  };
}
