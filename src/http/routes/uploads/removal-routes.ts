import * as z from 'zod';
import { uploadSchema, uploadView } from '../../../api/upload-view.ts';
import { MOST_REASON } from '../../../records/again/remove-upload.ts';
import { LINE } from '../../../records/organization.ts';
import { param } from '../../request/admitted.ts';
import { type Answer, json, NO_PARAMETERS } from '../../request/operation.ts';
import { post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { uploadOf } from '../../request/upload-of.ts';
import { sendJson } from '../../response/send-json.ts';
import { seesSenders, sentBy } from '../../response/upload-senders.ts';

const DELIVERY: Answer = {
  ...json(uploadSchema, 'The delivery that does so, which is processed as an upload is.', 202),
  headers: ['Location'],
};

/** Removes uploads, and has streams processed again. */
export function removalRoutes({ records: { uploads, readingAgain } }: ServedApp): readonly Route[] {
  return [
    remove('/api/organizations/:org/uploads/:stream/:number', {
      action: 'manage-organization',
      id: 'removeUpload',
      tag: 'uploads',
      summary: 'Removes an upload: its bytes are deleted, and the stream is as if it had not come',
      description:
        'Its files are answered with 410 from now on. A delivery with a number of its own takes its records back, and deletes the bytes; new dumps are made in place of those that have its records. It cannot be undone.',
      query: z.strictObject({
        reason: z
          .string()
          .min(1)
          .max(MOST_REASON)
          .meta({ description: 'Why: one line. Others can read it.', pattern: LINE, examples: ['sent by mistake'] }),
      }),
      answers: [
        DELIVERY,
        { status: 404, description: 'There is no such upload.' },
        { status: 409, description: 'It was removed already, has no files, or is that of a harvest.' },
      ],
      async handle(request, response, { reason }) {
        const upload = await uploadOf(uploads, request);
        const delivery = await readingAgain.remove(upload, { reason, by: sentBy(request, response) });
        response.location(`../${delivery.stream}/${delivery.number}`);
        sendJson(response, uploadView(delivery, undefined, seesSenders(response)), 202);
      },
    }),

    post('/api/organizations/:org/streams/:stream/process-again', {
      action: 'manage-organization',
      id: 'processStreamAgain',
      tag: 'uploads',
      summary: 'Has all uploads of a stream processed again, as with another normalization',
      description: 'The changes are exactly what is read otherwise than before.',
      query: NO_PARAMETERS,
      answers: [
        DELIVERY,
        { status: 404, description: 'There is no such organization, or stream of it.' },
        { status: 409, description: 'The stream is filled by harvests.' },
      ],
      async handle(request, response) {
        const name = { organization: param(request, 'org'), stream: param(request, 'stream') };
        const delivery = await readingAgain.processAgain({ ...name, by: sentBy(request, response) });
        response.location(`../../uploads/${delivery.stream}/${delivery.number}`);
        sendJson(response, uploadView(delivery, undefined, seesSenders(response)), 202);
      },
    }),
  ];
}
