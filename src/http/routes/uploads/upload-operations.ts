import * as z from 'zod';
import { givenUploadName, uploadSchema, uploadsSchema } from '../../../api/upload-schemas.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import { limit, text } from '../../request/query-parameters.ts';
import { podJson, uploadJson } from '../../request/receive-upload.ts';

/** Requests and responses about uploads; upload-routes.ts handles them. */

const bytes = z.string().meta({ format: 'binary' });

const uploadForm = z
  .strictObject({
    stream: z.string().optional().describe('The stream; the default one without it. Send it before the files.'),
    name: givenUploadName.optional().describe('What people call the upload.'),
    files: z.array(bytes).optional().describe('A part for each file, of any name, with a `filename`.'),
    url: z.string().optional().describe('In the place of files: where one is fetched from, by http or https.'),
  })
  .meta({ id: 'UploadForm' });

const formOfPod = z
  .object({
    'upload[name]': givenUploadName.optional(),
    'upload[files][]': z.array(bytes).optional(),
    'upload[url]': z.string().optional(),
    stream: z.string().optional(),
  })
  .meta({ id: 'PodUploadForm' });

const podUploadSchema = uploadSchema
  .extend({
    id: z.string().describe('The stream and the number.'),
    name: z.string(),
    created_at: z.string().meta({ format: 'date-time' }),
    updated_at: z.string().meta({ format: 'date-time' }),
    url: z.string().meta({ format: 'uri' }).describe('Where the upload is.'),
  })
  .meta({ id: 'PodUpload', description: 'An upload, also in the words of the POD aggregator.' });

const podProblemSchema = z
  .looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .meta({ id: 'PodProblem', description: 'What is wrong; also as a list of messages under the name of the field.' });

const STORED = {
  ...json(uploadSchema, 'All files are stored, or a job will fetch the URL, and the upload has its number.', 201),
};
const streamParameter = text('The stream; the default one without it.', 'main');

const FAILURES = [
  { status: 404, description: 'There is no such organization, or stream of it.' },
  { status: 409, description: 'The stream is archived, or the organization has none.' },
  { status: 413, description: 'A field is too long, or there are too many.' },
];

export const UPLOAD_FILES = {
  id: 'uploadFiles',
  tag: 'uploads',
  summary: 'Uploads files to a stream of an organization',
  description:
    'One form is one upload. Nothing of it is stored when the request breaks off. A sender that exceeds its bytes a minute is slowed down.',
  query: z.strictObject({ stream: streamParameter }),
  body: { 'multipart/form-data': uploadForm, 'application/json': uploadJson },
  answers: [{ ...STORED, headers: ['Location'] }, ...FAILURES],
} satisfies Operation;

export const UPLOAD_FILES_AS_POD = {
  ...UPLOAD_FILES,
  id: 'uploadFilesAsPod',
  summary: 'Uploads files, as scripts for the POD aggregator do',
  description:
    'The same, with the names that the POD aggregator has, and the fields of its answers. Unknown fields are ignored, and a stream that does not exist is made.',
  query: z.object({ stream: streamParameter }),
  body: {
    'multipart/form-data': formOfPod,
    'application/x-www-form-urlencoded': 'text',
    'application/json': podJson,
  },
  answers: [
    { ...json(podUploadSchema, 'The upload has its number.', 201), headers: ['Location'] },
    ...FAILURES.filter(({ status }) => status !== 409),
    json(
      podProblemSchema,
      'The upload has neither files nor a URL, what is named is wrong, the stream is archived, or there is none.',
      422,
    ),
  ],
} satisfies Operation;

export const LIST_UPLOADS = {
  id: 'listUploads',
  tag: 'uploads',
  summary: 'The uploads of a stream, newest first',
  query: z.strictObject({
    stream: streamParameter,
    before: z
      .string()
      .regex(/^\d{1,9}$/, 'is the number of an upload')
      .transform(Number)
      .optional()
      .meta({ description: 'Only uploads with lower numbers.', examples: ['17'] }),
    limit: limit({ usual: 20, most: 200 }),
  }),
  answers: [
    json(uploadsSchema, 'The uploads.'),
    { status: 404, description: 'There is no such organization, or stream of it.' },
  ],
} satisfies Operation;

export const SHOW_UPLOAD = {
  id: 'showUpload',
  tag: 'uploads',
  summary: 'An upload with its files',
  query: NO_PARAMETERS,
  answers: [json(uploadSchema, 'The upload.'), { status: 404, description: 'There is no such upload.' }],
} satisfies Operation;

export const READ_UPLOADED_FILE = {
  id: 'readUploadedFile',
  tag: 'uploads',
  summary: 'The bytes of an uploaded file',
  query: NO_PARAMETERS,
  isConditional: true,
  hasRanges: true,
  answers: [
    { status: 200, description: 'The bytes, as they came.', content: { 'application/octet-stream': 'bytes' } },
    { status: 404, description: 'There is no such file.' },
  ],
} satisfies Operation;
