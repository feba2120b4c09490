import type { IncomingHttpHeaders } from 'node:http';
import type { Upload } from '../../../streams/uploads/upload.ts';
import type { Uploads } from '../../../streams/uploads/uploads.ts';
import { HttpError } from '../../request/http-error.ts';
import { type FormFile, readMultipart } from '../../request/read-multipart.ts';

/** What a field means, by its name; also those of the POD aggregator. */
const FIELDS: Readonly<Record<string, 'stream' | 'name' | 'url'>> = {
  stream: 'stream',
  name: 'name',
  url: 'url',
  'upload[name]': 'name',
  'upload[url]': 'url',
};

export interface UploadRequest {
  readonly organization: string;
  /** As the query names it. */
  readonly stream: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Receives the files of a form. When it fails, nothing of them stays.
 * @throws HttpError 422 for a URL; what `readMultipart` throws; TidemarkError as `Uploads.begin` and `Receiving`
 */
export async function receiveUpload(
  uploads: Pick<Uploads, 'begin'>,
  { organization, stream, headers, body }: UploadRequest,
): Promise<Upload> {
  const receiving = await uploads.begin(organization, stream);
  const labels: { stream?: string; name?: string } = stream === undefined ? {} : { stream };
  try {
    await readMultipart(headers, body, {
      field(name, value) {
        const meaning = FIELDS[name];
        if (meaning === undefined) throw unknownField(name);
        if (meaning === 'url') throw noUrl(name);
        if (value !== '') setOnce(labels, meaning, value);
      },
      file: (_name, file) => take(receiving, file),
    });
    return await receiving.finish(labels);
  } catch (error) {
    await receiving.abandon();
    throw error;
  }
}

async function take(receiving: Awaited<ReturnType<Uploads['begin']>>, { fileName, body }: FormFile): Promise<void> {
  if (fileName !== '') return receiving.add(fileName, body);
  // A page sends such a part when no file was chosen.
  for await (const chunk of body) if (chunk.length > 0) throw noFileName();
}

function setOnce(labels: { stream?: string; name?: string }, label: 'stream' | 'name', value: string): void {
  if (labels[label] !== undefined && labels[label] !== value) throw twice(label);
  labels[label] = value;
}

function unknownField(name: string): HttpError {
  const message = `the form has an unknown field ${JSON.stringify(name.slice(0, 80))}: use stream, name, and files, which have a filename`;
  return new HttpError(400, { code: 'unknown-field', message });
}

function noUrl(name: string): HttpError {
  const message = `the field ${name}: what is at a URL cannot be fetched yet; send the files`;
  return new HttpError(422, { code: 'no-urls', message });
}

function noFileName(): HttpError {
  return new HttpError(400, { code: 'no-file-name', message: 'a file of the form has no name: send its filename' });
}

function twice(label: string): HttpError {
  return new HttpError(400, { code: 'repeated-field', message: `the ${label} is given twice, with different values` });
}
