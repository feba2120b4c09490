import { join } from 'node:path';
import * as z from 'zod';
import { TidemarkError } from '../../../core/errors.ts';
import { readRecordAsItCame } from '../../../records/arrivals/record-as-it-came.ts';
import type { Upload, UploadedFile } from '../../../records/arrivals/upload.ts';
import type { UploadState } from '../../../records/arrivals/upload-state.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { eachErratum } from '../../../records/errata/read-errata.ts';
import { page } from '../../request/operation.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { organizationFrameOf } from '../organizations/organization-frame.ts';
import { sendPage } from '../parts/send-page.ts';
import { type AsItCamePage, renderAsItCamePage } from './record-as-it-came-page.ts';

/** Errata that are read to find those of a record, and those that are shown. */
const MOST_READ = 200_000;
const MOST_SHOWN = 20;

/** @param least the lowest number */
const wholeNumber = (least: 0 | 1, description: string) =>
  z
    .string()
    .regex(least === 0 ? /^\d{1,15}$/ : /^[1-9]\d{0,14}$/, `is a whole number from ${least}`)
    .transform(Number)
    .meta({ description });

interface Wanted {
  readonly file: number;
  readonly ordinal?: number | undefined;
  readonly offset: number;
  readonly path?: string | undefined;
}

/** The page of a record as it came, with the fault in place: errata lead to it. */
export function recordAsItCameRoute(app: ServedApp): Route {
  const { uploads } = app.records;
  const scratchFolder = join(app.configuration.dataFolder, 'spool');
  return get('/organizations/:org/uploads/:stream/:number/records', {
    action: 'read-organization',
    id: 'recordAsItCamePage',
    tag: 'pages',
    summary: 'A record in an uploaded file, as far as it can be read, with what is wrong in it',
    answers: [
      page('The page.'),
      { status: 404, description: 'There is none.' },
      { status: 410, description: 'The upload was removed, or its files are kept no longer.' },
    ],
    query: z.object({
      file: wholeNumber(1, 'The position of the file in the upload, from 1.').default(1),
      ordinal: wholeNumber(1, 'The number of the record in its file, for the heading.').optional(),
      offset: wholeNumber(0, 'Unpacked bytes before the record, as in its erratum.').default(0),
      path: z
        .string()
        .optional()
        .meta({ description: 'Of a file in a package: the names in `path` of the erratum, joined by ` > `.' }),
    }),
    async handle(request, response, wanted) {
      const upload = await uploadOf(uploads, request);
      const state = await uploads.stateOf(upload);
      const file = (await uploads.filesOf(upload))[wanted.file - 1];
      if (file === undefined) throw noFile(upload, wanted.file);
      const [frame, record, errata] = await Promise.all([
        organizationFrameOf(app, request, response),
        readRecord(file),
        errataOf(app, upload, state, wanted),
      ]);
      const { ordinal, offset } = wanted;
      sendPage(response, renderAsItCamePage({ ...frame, upload, file: wanted.file, ordinal, offset, record, errata }));

      async function readRecord(file: UploadedFile): Promise<AsItCamePage['record']> {
        const { path, offset } = wanted;
        const found = await readRecordAsItCame(uploads, { file, path, offset, scratchFolder });
        if (found === undefined) return 'there is no record at this place of the file';
        if (typeof found === 'string') return found;
        return { ...found, read: await found.kind.readFaulty(found.bytes) };
      }
    },
  });
}

/** What was found wrong with a record; empty when it is not among the first errata. */
async function errataOf(
  { records: { uploads } }: ServedApp,
  upload: Upload,
  state: UploadState | undefined,
  { file, path, offset }: Wanted,
): Promise<readonly Erratum[]> {
  if (state?.read?.errata === undefined) return [];
  const found: Erratum[] = [];
  let read = 0;
  for await (const erratum of eachErratum((await uploads.openErrata(upload, state))!)) {
    const isOfRecord = erratum.file === file && erratum.offset === offset;
    if (isOfRecord && (path === undefined || erratum.path?.join(' > ') === path)) found.push(erratum);
    else if (found.length > 0) break;
    read += 1;
    if (read === MOST_READ || found.length === MOST_SHOWN) break;
  }
  return found;
}

function noFile({ organization, stream, number, files }: Upload, file: number): TidemarkError {
  const message = `the upload ${organization}/${stream}/${number} has no file ${file}: it has ${files.length}, from 1`;
  return new TidemarkError('not-found', message, { organization, stream, upload: number });
}
