import type { IncomingMessage } from 'node:http';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { RoutedResponse } from '../request/admitted.ts';
import type { ServedApp } from '../request/served-app.ts';
import { answerHead } from './answer-head.ts';
import type { Validators } from './conditional-request.ts';
import { setResourceHeaders } from './resource-headers.ts';
import { sendBytes } from './send-bytes.ts';

interface RecordQuestion {
  readonly request: IncomingMessage;
  readonly response: RoutedResponse;
  readonly set: ResourceSet;
  readonly state: ResourceState;
}

/**
 * Answers with the document of a record. All but its bytes is in the state, so only they are asked for, by one range of
 * the artifact.
 * @throws TidemarkError `unavailable` when the artifact is not there (any more), or is not what it was
 */
export async function answerRecord(app: ServedApp, { request, response, set, state }: RecordQuestion): Promise<void> {
  const { record, hashes, length, mime, lastmod: lastModified } = state;
  const digest = hashes?.['sha-256'];
  if (record === undefined || digest === undefined || length === undefined) throw notCompared(set);
  const { baseUrl, idleTimeout } = app.configuration;
  setResourceHeaders(response, set, baseUrl);
  // Two runs of one provider begin in two seconds.
  const validators: Validators = { etag: `"${digest}"`, lastModified, dateTellsVersions: true };
  const part = answerHead(request, response, { length, mime, validators });
  if (part === undefined || request.method === 'HEAD' || part.length === 0) {
    response.end();
    return;
  }
  const { document } = await app.records.read(record, digest);
  const body = Buffer.from(document.buffer, document.byteOffset + part.start, part.length);
  await sendBytes(response, { body, length: part.length, idleTimeout });
}

function notCompared({ slug }: ResourceSet): TidemarkError {
  return new TidemarkError('unavailable', `where this record is is not known: run "tidemark scan ${slug} --rehash"`, {
    set: slug,
  });
}
