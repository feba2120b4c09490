import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { fullUploadOf } from '../../records/arrivals/full-upload.ts';
import type { Receiving, UploadLabels } from '../../records/arrivals/receiving.ts';
import type { Sender, Upload } from '../../records/arrivals/upload.ts';
import type { Uploads } from '../../records/arrivals/uploads.ts';
import { mediaTypeOf } from './media-types.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { type FormFile, readMultipart } from './read-multipart.ts';
import { readBody } from './request-body.ts';
import { noFileName, UploadFields } from './upload-fields.ts';

/** Most bytes of a body without files. */
const MOST_BYTES = 65_536;
const text = z.string();

export const FULL = 'Whether it is a new full export: records of the stream that it does not mention are deleted.';
export const ACCEPT_DROP = 'With `full`: whether it may delete more of them than the drop limit of the server.';

/** The fields of a form, as JSON. */
export const uploadJson = z
  .strictObject({
    url: text.describe('Where the file is fetched from, by http or https.'),
    stream: text.optional().describe('The stream; the default one without it.'),
    name: text.optional().describe('What people call the upload.'),
    full: z.boolean().optional().describe(FULL),
    accept_drop: z.boolean().optional().describe(ACCEPT_DROP),
  })
  .meta({ id: 'UploadByUrl' });

/** As scripts for the POD aggregator may send it; unknown fields are ignored. Without a URL, `Receiving` refuses it. */
export const podJson = z
  .object({
    upload: z.object({ url: text.optional(), name: text.optional() }).optional(),
    stream: text.optional(),
    full: z.boolean().optional().describe(FULL),
    accept_drop: z.boolean().optional().describe(ACCEPT_DROP),
  })
  .meta({ id: 'PodUploadByUrl' });

export interface UploadRequest {
  readonly organization: string;
  /** The stream in the query. */
  readonly stream: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
  readonly by: Sender;
}

/** Rules for requests of scripts for the POD aggregator. */
interface PodRules {
  /** The id of a stream, which is created when there is none of this name. */
  streamOf(name: string): Promise<string>;
}

/**
 * Receives the files of a form, or the URL of one. On an error, no file remains.
 * @throws what `readMultipart` and `parseJsonBody` throw; TidemarkError as `Uploads.begin` and `Receiving`
 */
export async function receiveUpload(
  uploads: Pick<Uploads, 'begin'>,
  request: UploadRequest,
  pod?: PodRules,
): Promise<Upload> {
  const { organization, stream } = request;
  const receiving = await uploads.begin(organization, pod === undefined ? stream : undefined);
  try {
    const labels = await readLabels(receiving, request, pod !== undefined);
    const named = pod === undefined || labels.stream === undefined ? labels.stream : await pod.streamOf(labels.stream);
    return await receiving.finish({ ...labels, stream: named, by: request.by });
  } catch (error) {
    await receiving.abandon();
    throw error;
  }
}

async function readLabels(
  receiving: Receiving,
  { stream, headers, body }: UploadRequest,
  isPod: boolean,
): Promise<UploadLabels> {
  const fields = new UploadFields(stream, isPod);
  switch (mediaTypeOf(headers)) {
    case 'application/json': {
      const bytes = await readBody(body, MOST_BYTES);
      const given = isPod ? flat(parseJsonBody(podJson, bytes)) : parseJsonBody(uploadJson, bytes);
      for (const [name, value] of Object.entries(given)) if (value !== undefined) fields.add(name, String(value));
      break;
    }
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams((await readBody(body, MOST_BYTES)).toString());
      for (const [name, value] of form) fields.add(name, value);
      break;
    }
    default:
      await readMultipart(headers, body, {
        field: (name, value) => fields.add(name, value),
        file: (_name, file) => take(receiving, file),
      });
  }
  const { full, accept_drop, ...labels } = fields.labels;
  return { ...labels, ...fullUploadOf({ full, accept_drop }) };
}

function flat({ upload, ...others }: z.output<typeof podJson>) {
  return { ...upload, ...others };
}

async function take(receiving: Receiving, { fileName, body }: FormFile): Promise<void> {
  if (fileName !== '') return receiving.add(fileName, body);
  // A page sends such a part when no file was chosen.
  for await (const chunk of body) if (chunk.length > 0) throw noFileName();
}
