import { TidemarkError } from '../../core/errors.ts';
import { keyOfRequestPath, type ResourceKey, uriOf } from '../../core/key.ts';
import { keptSince, type ResourceSet } from '../../core/resource-set.ts';
import type { OpenedBytes, ServedBytes } from '../../sources/served-source.ts';
import { directRequest } from '../request/admitted.ts';
import type { Answer } from '../request/answer.ts';
import type { DirectHandler } from '../request/direct-request.ts';
import { HttpError } from '../request/http-error.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { answerHead } from '../response/answer-head.ts';
import { isForAll, type Validators } from '../response/conditional-request.ts';
import { inTime, openBodyInTime } from '../response/in-time.ts';
import { openToScripts } from '../response/open-to-scripts.ts';
import { linksOf, resourceHeaders, versionLinks } from '../response/resource-headers.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { type FoundResource, findResource } from './found-resource.ts';

/** Serves the bytes of live resources only. */
export function resourceRoutes(app: ServedApp): readonly Route[] {
  const direct = resourceHandler(app);
  const { idleTimeoutMs } = app.configuration;
  return [
    get('/sets/:set/resources/*path', {
      action: 'read-resource',
      id: 'readResource',
      tag: 'resources',
      summary: 'The bytes of a resource',
      description:
        'Only of sets with a content root, or of records, and only of resources that are live. A record of MARC is MARC21, or MARCXML when `Accept` prefers that; with `.mrc` or `.xml` after its address it is always the one or the other. One of OAI-PMH is XML; with `.metadata.xml` it is its metadata alone.',
      isConditional: true,
      hasRanges: true,
      answers: [
        { status: 200, description: 'The bytes.', content: { '*/*': 'bytes' }, headers: ['Link'] },
        { status: 406, description: 'The client accepts none of the forms of the resource.' },
        {
          status: 307,
          description: 'The S3 server that has the bytes, when the set says so.',
          headers: ['Location', 'Link'],
        },
      ],
      handle: async (request, response) =>
        sendAnswer(response, await direct(directRequest(request, response)), idleTimeoutMs),
      direct,
    }),
  ];
}

function resourceHandler(app: ServedApp): DirectHandler {
  const { baseUrl } = app.configuration;
  const headersOf = (set: ResourceSet, { key, links }: FoundResource) => {
    const headers = resourceHeaders(set, baseUrl);
    if (keptSince(set) === undefined && links.length === 0) return headers;
    return { ...headers, Link: [linksOf(set, key, baseUrl), ...links].join(', ') };
  };

  return async (request) => {
    const set = request.set as ResourceSet;
    const key = keyOfPathIn(request.url);
    const source = app.sources.servedSourceOf(set) ?? notServed(set, key);
    const { representations = [] } = source;
    const asked = { set, key, representations, accept: request.headers.accept };
    const found = await findResource(app.index, asked);
    if (found === undefined) throw await notThere(app, set, key);
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const { representation, vary } = found;
    const opening = source.open(found, { method, isWhole: isForAll(request), representation });
    const opened = await inTime(opening, async (late) => ('redirect' in late ? undefined : late.close()));
    const ofSet = headersOf(set, found);
    if ('redirect' in opened) {
      const headers = { Link: ofSet.Link!, ...openToScripts(request, set.private === true) };
      return redirectTo(opened.redirect, headers);
    }
    let body: ServedBytes | undefined;
    try {
      const { length, mime } = opened;
      const isPrivate = set.private === true;
      const head = answerHead(request, { length, mime, validators: validatorsOf(opened), isPrivate, vary });
      if (head.status === 304) return head;
      body = head.part && (await openBodyInTime(opened.read(head.part)));
      return { status: head.status, headers: { ...ofSet, ...head.headers }, body };
    } finally {
      // The sender of a body closes it.
      if (body === undefined) await opened.close();
    }
  };
}

function redirectTo(url: string, headers: Readonly<Record<string, string>>): Answer {
  // A presigned URL gives access to the resource, so no cache may keep it.
  const caching = { 'Cache-Control': 'private, no-store', 'Content-Length': '0' };
  return { status: 307, headers: { Location: url, ...headers, ...caching } };
}

/**
 * The key for the path below `resources/`. Uses the path as it was sent, since decoding it would lose an encoded slash.
 */
function keyOfPathIn(url: string): ResourceKey {
  const [, path = ''] = /^(?:https?:\/\/[^/]*)?\/sets\/[^/?#]*\/resources\/([^?#]*)/.exec(url) ?? [];
  const key = keyOfRequestPath(path);
  if (key !== undefined) return key;
  throw new URIError('the path has percent-encoded bytes that are not UTF-8');
}

function notServed(set: ResourceSet, key: ResourceKey): never {
  const uri = uriOf(set.urlPrefix, key);
  const message = `the resources of "${set.slug}" are not served here: this one would be at ${uri}`;
  throw new TidemarkError('not-found', message, { set: set.slug, uri });
}

/** A resource that was deleted still leads to its kept versions (RFC 7089). */
async function notThere(
  { index, publishing: { versions }, configuration: { baseUrl } }: ServedApp,
  set: ResourceSet,
  key: ResourceKey,
): Promise<HttpError> {
  const [tombstone] = keptSince(set) === undefined ? [] : await index.lookup(set.id, [key]);
  const hasVersions = tombstone !== undefined && (await inTime(versions.nearest(set, key))) !== undefined;
  return new HttpError(404, {
    code: 'not-found',
    message: `the set "${set.slug}" has no resource ${key}`,
    details: { set: set.slug, key },
    headers: hasVersions ? { Link: versionLinks(set, key, baseUrl).join(', ') } : {},
  });
}

function validatorsOf({ tag, lastModified, dateTellsVersions }: OpenedBytes): Validators {
  return { etag: `"${tag}"`, lastModified, dateTellsVersions };
}
