import type { Request, Response } from 'express';
import parseRange from 'range-parser';
import { TidemarkError } from '../domain/errors.ts';
import { keyOfRequestPath, pathOfKey, type ResourceKey, uriOf } from '../domain/key.ts';
import type { ResourceState } from '../domain/resource.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { setUris } from '../publisher/document-uris.ts';
import type { RootFile } from '../roots/content-root.ts';
import { setCaching } from './caching.ts';
import { rangeHolds, type Validators, weighConditions } from './conditional-request.ts';
import { HttpError } from './http-error.ts';
import { keepAnswer } from './keep-answer.ts';
import type { Operation } from './operation.ts';
import type { Keeping } from './quick-answers.ts';
import { get, type Handler, type Route, setOf } from './route.ts';
import { sendBytes } from './send-bytes.ts';
import type { ServedApp } from './served-app.ts';

const UNKNOWN_TYPE = 'application/octet-stream';
/** A file that changed this many seconds ago may change again within the same second. */
const SETTLING_SECONDS = 2;

const READ_RESOURCE = {
  id: 'readResource',
  tag: 'resources',
  summary: 'The bytes of a resource',
  description: 'Only of sets with a content root, and only of resources that are live.',
  isConditional: true,
  hasRanges: true,
  answers: [
    { status: 200, description: 'The bytes.', content: { '*/*': 'bytes' }, headers: ['Link'] },
    { status: 307, description: 'The S3 server that has the bytes, when the set says so.', headers: ['Location'] },
  ],
} satisfies Operation;

/** The bytes of resources that are live, and of nothing else. */
export function resourceRoutes(app: ServedApp): readonly Route[] {
  const handle = resourceHandler(app);
  return [get('/sets/:set/resources/*path', { action: 'read-resource', operation: READ_RESOURCE, handle })];
}

function resourceHandler(app: ServedApp): Handler {
  const { configuration } = app;

  return async (request, response) => {
    const set = setOf(response);
    const key = keyOfPathIn(request);
    const state = await liveState(app, set, key);
    const redirect = await presignedUrl(app, { set, key, method: request.method });
    if (redirect !== undefined) return redirectTo(response, redirect);
    const file = await app.rootOf(set).root.open(pathOf(key));
    let isSending = false;
    try {
      response.set({
        'Content-Security-Policy': 'sandbox',
        // A page of another site must not learn from a browser that is signed in what a private set has.
        'Cross-Origin-Resource-Policy': set.private === true ? 'same-origin' : 'cross-origin',
        Link: `<${setUris(configuration.baseUrl, set.slug).capabilityList}>; rel="resourcesync"`,
      });
      const validators = validatorsOf(file);
      const keeping = keepingOf(file, validators);
      const range = answerHead(request, response, { file, state, validators });
      if (range === undefined && keeping !== undefined) keepAnswer(response, keeping);
      if (range === undefined || request.method === 'HEAD' || range.length === 0) response.end();
      else {
        isSending = true;
        const body = file.stream({ start: range.start, end: range.start + range.length - 1 });
        await sendBytes(response, { body, length: range.length, idleTimeout: configuration.idleTimeout, keeping });
      }
    } finally {
      if (!isSending) await file.close();
    }
  };
}

/** Where the S3 server itself has the resource, when the set says that clients are to be sent there. */
async function presignedUrl(
  app: ServedApp,
  { set, key, method }: { readonly set: ResourceSet; readonly key: ResourceKey; readonly method: string },
): Promise<string | undefined> {
  const { root } = app.rootOf(set);
  if (set.presignedSeconds === undefined || root.presign === undefined) return undefined;
  return root.presign(pathOf(key), { method: method === 'HEAD' ? 'HEAD' : 'GET', expires: set.presignedSeconds });
}

function redirectTo(response: Response, url: string): void {
  // Whoever has the URL can read the resource, so no cache may keep it.
  response.set({ Location: url, 'Cache-Control': 'private, no-store' }).status(307).end();
}

/** The key that the path below `resources/` means; the path as it was sent, since decoding it would lose an encoded slash. */
function keyOfPathIn(request: Request): ResourceKey {
  const [, path = ''] = /^(?:https?:\/\/[^/]*)?\/sets\/[^/?#]*\/resources\/([^?#]*)/.exec(request.originalUrl) ?? [];
  const key = keyOfRequestPath(path);
  if (key !== undefined) return key;
  throw new HttpError(400, { code: 'bad-path', message: 'the path has percent-encoded bytes that are not UTF-8' });
}

async function liveState({ index }: ServedApp, set: ResourceSet, key: ResourceKey): Promise<ResourceState> {
  if (set.root === undefined) {
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

interface Opened {
  readonly file: RootFile;
  readonly state: ResourceState;
  readonly validators: FileValidators;
}

type FileValidators = Validators & { readonly lastModified: number };

/** Answers all but the body: the range of bytes that is to follow, or undefined for a 304. */
function answerHead(request: Request, response: Response, { file, state, validators }: Opened) {
  response.set({
    ETag: validators.etag,
    'Last-Modified': new Date(validators.lastModified * 1000).toUTCString(),
    'Accept-Ranges': 'bytes',
  });
  setCaching(response, 'no-cache');
  const precondition = weighConditions(request.headers, validators);
  if (precondition === 'failed') {
    throw new HttpError(412, { code: 'precondition-failed', message: 'the resource has another version' });
  }
  if (precondition === 'not-modified') {
    response.status(304);
    return undefined;
  }
  const { start, length } = rangeOf(request, response, { total: file.length, validators });
  // setHeader, because express would add a charset, and with it say more than is known.
  response.setHeader('Content-Type', state.mime ?? UNKNOWN_TYPE);
  response.setHeader('Content-Length', String(length));
  return { start, length };
}

function validatorsOf({ tag, mtime }: RootFile): FileValidators {
  const lastModified = Number(mtime / 1_000_000_000n);
  const dateTellsVersions = Date.now() / 1000 - lastModified > SETTLING_SECONDS;
  return { etag: `"${tag}"`, lastModified, dateTellsVersions };
}

/** A file may be kept when its root can tell whether it is still the same, and its date is old enough for that to be seen. */
function keepingOf({ isCurrent }: RootFile, validators: FileValidators): Keeping | undefined {
  return isCurrent && validators.dateTellsVersions ? { validators, isCurrent } : undefined;
}

/** One range is answered with 206; several, or a header that is no range, with the whole (RFC 9110, 14.2). */
function rangeOf(
  request: Request,
  response: Response,
  { total, validators }: { readonly total: number; readonly validators: Validators },
): { readonly start: number; readonly length: number } {
  const whole = { start: 0, length: total };
  const header = request.headers.range;
  if (header === undefined || request.method !== 'GET' || !rangeHolds(request.headers, validators)) return whole;
  const ranges = parseRange(total, header, { combine: true });
  if (ranges === -1) {
    const headers = { 'Content-Range': `bytes */${total}` };
    throw new HttpError(416, { code: 'bad-range', message: `the resource has only ${total} bytes`, headers });
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return whole;
  const { start, end } = ranges[0]!;
  response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${total}`);
  return { start, length: end - start + 1 };
}
