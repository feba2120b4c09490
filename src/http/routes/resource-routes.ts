import type { IncomingMessage, ServerResponse } from 'node:http';
import { TidemarkError } from '../../core/errors.ts';
import { keyOfRequestPath, pathOfKey, type ResourceKey, uriOf } from '../../core/key.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { RootFile } from '../../sources/content-root.ts';
import { setOf } from '../request/admitted.ts';
import type { Operation } from '../request/operation.ts';
import { type DirectHandler, get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { answerHead } from '../response/answer-head.ts';
import { answerRecord } from '../response/answer-record.ts';
import type { Validators } from '../response/conditional-request.ts';
import { setResourceHeaders } from '../response/resource-headers.ts';
import { sendBytes } from '../response/send-bytes.ts';

/** A file that changed this many seconds ago may change again within the same second. */
const SETTLING_SECONDS = 2;

const READ_RESOURCE = {
  id: 'readResource',
  tag: 'resources',
  summary: 'The bytes of a resource',
  description: 'Only of sets with a content root, or of records, and only of resources that are live.',
  isConditional: true,
  hasRanges: true,
  answers: [
    { status: 200, description: 'The bytes.', content: { '*/*': 'bytes' }, headers: ['Link'] },
    { status: 307, description: 'The S3 server that has the bytes, when the set says so.', headers: ['Location'] },
  ],
} satisfies Operation;

/** The bytes of resources that are live, and of nothing else. */
export function resourceRoutes(app: ServedApp): readonly Route[] {
  const direct = resourceHandler(app);
  return [
    get('/sets/:set/resources/*path', { action: 'read-resource', operation: READ_RESOURCE, handle: direct, direct }),
  ];
}

function resourceHandler(app: ServedApp): DirectHandler {
  const { configuration } = app;

  return async (request, response) => {
    const set = setOf(response);
    const key = keyOfPathIn(request);
    const state = await liveState(app, set, key);
    if (traitsOf(set.origin).entry === 'record') return answerRecord(app, { request, response, set, state });
    const redirect = await presignedUrl(app, { set, key, method: request.method });
    if (redirect !== undefined) return redirectTo(response, redirect);
    const file = await app.rootOf(set).root.open(pathOf(key));
    let isSending = false;
    try {
      setResourceHeaders(response, set, configuration.baseUrl);
      const validators = validatorsOf(file);
      const range = answerHead(request, response, { length: file.length, mime: state.mime, validators });
      if (range === undefined || request.method === 'HEAD' || range.length === 0) response.end();
      else {
        isSending = true;
        const end = range.start + range.length;
        const body = file.bytes?.subarray(range.start, end) ?? file.stream({ start: range.start, end: end - 1 });
        await sendBytes(response, { body, length: range.length, idleTimeout: configuration.idleTimeout });
      }
    } finally {
      if (!isSending) await file.close();
    }
  };
}

/** Where the S3 server itself has the resource, when the set says that clients are to be sent there. */
async function presignedUrl(
  app: ServedApp,
  { set, key, method }: { readonly set: ResourceSet; readonly key: ResourceKey; readonly method: string | undefined },
): Promise<string | undefined> {
  const { root } = app.rootOf(set);
  if (set.presignedSeconds === undefined || root.presign === undefined) return undefined;
  return root.presign(pathOf(key), { method: method === 'HEAD' ? 'HEAD' : 'GET', expires: set.presignedSeconds });
}

function redirectTo(response: ServerResponse, url: string): void {
  // A presigned URL gives access to the resource, so no cache may keep it.
  response.setHeader('Location', url).setHeader('Cache-Control', 'private, no-store');
  response.statusCode = 307;
  response.end();
}

/**
 * The key that the path below `resources/` means; the path as it was sent, since decoding it would lose an encoded
 * slash.
 */
function keyOfPathIn({ url = '' }: IncomingMessage): ResourceKey {
  const [, path = ''] = /^(?:https?:\/\/[^/]*)?\/sets\/[^/?#]*\/resources\/([^?#]*)/.exec(url) ?? [];
  const key = keyOfRequestPath(path);
  if (key !== undefined) return key;
  throw new URIError('the path has percent-encoded bytes that are not UTF-8');
}

async function liveState({ index }: ServedApp, set: ResourceSet, key: ResourceKey): Promise<ResourceState> {
  if (traitsOf(set.origin).source === undefined) {
    const message = `the resources of "${set.slug}" are not served here: this one would be at ${uriOf(set.urlPrefix, key)}`;
    throw new TidemarkError('not-found', message, { set: set.slug, uri: uriOf(set.urlPrefix, key) });
  }
  const [found] = await index.lookup(set.id, [key]);
  if (found?.state !== undefined) return found.state;
  throw new TidemarkError('not-found', `the set "${set.slug}" has no resource ${key}`, { set: set.slug, key });
}

function pathOf(key: ResourceKey): string {
  const path = pathOfKey(key);
  if (path !== undefined) return path;
  throw new TidemarkError('not-found', `no file can be at ${key}`, { key });
}

function validatorsOf({ tag, mtime }: RootFile): Validators {
  const lastModified = Number(mtime / 1_000_000_000n);
  const dateTellsVersions = Date.now() / 1000 - lastModified > SETTLING_SECONDS;
  return { etag: `"${tag}"`, lastModified, dateTellsVersions };
}
