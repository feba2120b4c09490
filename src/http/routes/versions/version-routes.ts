import * as z from 'zod';
import { TidemarkError } from '../../../core/errors.ts';
import { keyOfRequestPath, type ResourceKey, uriOf } from '../../../core/key.ts';
import { keptSince, type ResourceSet } from '../../../core/resource-set.ts';
import { mementoUri, setHome, timeGateUri, timeMapUri } from '../../../core/set-uris.ts';
import { boundaryAfter, formatStamp, type Stamp } from '../../../core/stamp.ts';
import { parseDatetime } from '../../../core/w3c-datetime.ts';
import type { Version } from '../../../publish/versions/versions.ts';
import { directRequest } from '../../request/admitted.ts';
import type { Answer } from '../../request/answer.ts';
import type { DirectHandler, DirectRequest } from '../../request/direct-request.ts';
import { time } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { answerHead } from '../../response/answer-head.ts';
import { cachingHeaders } from '../../response/caching.ts';
import { inTime, openBodyInTime } from '../../response/in-time.ts';
import { openToScripts } from '../../response/open-to-scripts.ts';
import { resourceHeaders, versionLinks } from '../../response/resource-headers.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { parseAcceptDatetime } from './accept-datetime.ts';
import { httpDate, LINK_FORMAT, renderTimeMap, TIME_MAP_TYPES, timeMapJson } from './time-map.ts';

const memento = z.object({ datetime: z.string().meta({ format: 'date-time' }), uri: z.string() });

const timeMapSchema = z
  .object({
    original_uri: z.string(),
    timegate_uri: z.string(),
    timemap_uri: z.object({ link_format: z.string(), json_format: z.string() }),
    pages: z
      .object({ prev: z.object({ uri: z.string() }) })
      .optional()
      .describe('The TimeMap of older versions, when there may be any.'),
    mementos: z.object({
      first: memento.optional(),
      last: memento,
      list: z.array(memento).describe('The oldest first.'),
    }),
  })
  .meta({ id: 'TimeMap' });

const YEAR_IN_SECONDS = 31_536_000;

/** The kept versions of resources, and how to find them (RFC 7089). */
export function versionRoutes(app: ServedApp): readonly Route[] {
  const { idleTimeoutMs } = app.configuration;
  const send = (handler: DirectHandler): Route['handle'] => {
    return async (request, response) =>
      sendAnswer(response, await handler(directRequest(request, response)), idleTimeoutMs);
  };
  return [
    get('/sets/:set/versions/:datetime/*path', {
      action: 'read-resource',
      id: 'readVersion',
      tag: 'resources',
      summary: 'A kept version of a resource',
      description:
        'A Memento (RFC 7089), of sets that keep versions. The datetime is that of the change in the Change List.',
      isConditional: true,
      hasRanges: true,
      answers: [
        {
          status: 200,
          description: 'The bytes as they were.',
          content: { '*/*': 'bytes' },
          headers: ['Link', 'Memento-Datetime'],
        },
      ],
      handle: send(mementoHandler(app)),
    }),
    get('/sets/:set/timegate/*path', {
      action: 'read-resource',
      id: 'readTimeGate',
      tag: 'resources',
      summary: 'The version of a resource at a time',
      description:
        'A TimeGate (RFC 7089): `Accept-Datetime` says which time; without it, the latest. Before the first version, the first.',
      headers: ['Accept-Datetime'],
      answers: [{ status: 302, description: 'The address of the version.', headers: ['Location', 'Link'] }],
      handle: send(timeGateHandler(app)),
    }),
    get('/sets/:set/timemap/*path', {
      action: 'read-resource',
      id: 'readTimeMap',
      tag: 'resources',
      summary: 'The kept versions of a resource',
      description:
        'A TimeMap (RFC 7089), the oldest version first: of 1,000 changes, with a link to the TimeMap of those before.',
      query: z.object({ until: time('Versions up to this time.') }),
      answers: [
        {
          status: 200,
          description: 'Links to the versions, by `Accept`: link-format, or JSON when the client prefers that.',
          content: { 'application/link-format': 'text', 'application/json': timeMapSchema },
        },
      ],
      async handle(request, response, { until }) {
        // Express returns false when the client accepts neither: it still gets one.
        const type = request.accepts([...TIME_MAP_TYPES]) || LINK_FORMAT;
        const answer = await timeMap(app, directRequest(request, response), { until, type });
        await sendAnswer(response, answer, idleTimeoutMs);
      },
    }),
  ];
}

/** A version, unchanged for ever. */
function mementoHandler(app: ServedApp): DirectHandler {
  const { baseUrl } = app.configuration;
  return async (request) => {
    const { set, key, before } = named(request);
    const version = await inTime(app.publishing.versions.at(set, key, stampOf(before)));
    if (version === undefined) throw noVersion(set, key, `of ${before}`);
    const { state, stamp } = version;
    const isPrivate = set.private === true;
    const lastModified = state.lastmod;
    const { part, ...head } = answerHead(request, {
      length: state.length ?? 0,
      mime: state.mime,
      validators: { etag: `"${state.hashes?.['sha-256']}"`, lastModified, dateTellsVersions: false },
      isPrivate,
      control: `public, max-age=${YEAR_IN_SECONDS}, immutable`,
    });
    const links = [`<${uriOf(set.urlPrefix, key)}>; rel="original"`, ...versionLinks(set, key, baseUrl)];
    const headers = {
      ...resourceHeaders(set, baseUrl),
      ...head.headers,
      'Memento-Datetime': httpDate(stamp),
      Link: links.join(', '),
    };
    const body = part && (await openBodyInTime(bytesOf(app, set, version, part)));
    return { status: head.status, headers, ...(body && { body }) };
  };
}

/** Redirects to the version that was current at a time, or to the latest one (RFC 7089, 4.1). */
function timeGateHandler(app: ServedApp): DirectHandler {
  const { baseUrl } = app.configuration;
  return async (request) => {
    const { set, key } = named(request);
    const accepted = parseAcceptDatetime(request.headers['accept-datetime']);
    // Up to the end of that second.
    const before = accepted === undefined ? undefined : (accepted + 1) * 1_000_000 - 1;
    const version = await inTime(app.publishing.versions.nearest(set, key, before));
    if (version === undefined) throw noVersion(set, key);
    const home = setHome(baseUrl, set.slug);
    const [, timeMap] = versionLinks(set, key, baseUrl);
    return {
      status: 302,
      headers: {
        Location: mementoUri(home, version.stamp, key),
        Link: `<${uriOf(set.urlPrefix, key)}>; rel="original", ${timeMap}`,
        'Content-Length': '0',
        ...openToScripts(request, set.private === true),
        ...cachingHeaders({ control: 'no-cache', isPrivate: set.private === true, vary: 'Accept-Datetime' }),
      },
    };
  };
}

/** Lists the versions, oldest first (RFC 7089, 5). */
async function timeMap(
  app: ServedApp,
  request: DirectRequest,
  { until, type }: { readonly until: Stamp | undefined; readonly type: string },
): Promise<Answer> {
  const { set, key } = named(request);
  const { versions, next } = await inTime(app.publishing.versions.list(set, key, until && boundaryAfter(until)));
  if (versions.length === 0) throw noVersion(set, key);
  const home = setHome(app.configuration.baseUrl, set.slug);
  const whole = timeMapUri(home, key);
  const found = {
    original: uriOf(set.urlPrefix, key),
    timeGate: timeGateUri(home, key),
    timeMap: whole,
    self: until === undefined ? whole : `${whole}?until=${formatStamp(until)}`,
    versions: versions.map(({ stamp }) => ({ uri: mementoUri(home, stamp, key), stamp })).reverse(),
    next,
  };
  const text = type === LINK_FORMAT ? renderTimeMap(found) : JSON.stringify(timeMapJson(found));
  return textAnswer(request, { text, type, isPrivate: set.private === true });
}

function textAnswer(
  request: DirectRequest,
  { text, type, isPrivate }: { readonly text: string; readonly type: string; readonly isPrivate: boolean },
): Answer {
  const body = Buffer.from(text);
  const headers = {
    'Content-Type': type,
    'Content-Length': String(body.length),
    ...openToScripts(request, isPrivate),
    ...cachingHeaders({ control: 'no-cache', isPrivate, vary: 'Accept' }),
  };
  return request.method === 'HEAD' ? { status: 200, headers } : { status: 200, headers, body };
}

interface Named {
  readonly set: ResourceSet;
  readonly key: ResourceKey;
  /** Stamp of a version, as in its path. */
  readonly before: string;
}

/** The names in a path as it was sent: decoding it would lose an encoded slash. */
function named(request: DirectRequest): Named {
  const set = request.set as ResourceSet;
  if (keptSince(set) === undefined) {
    // Clients cannot change that: `publishesNone` is for operators.
    throw new TidemarkError('not-found', `"${set.slug}" publishes no versions`, { set: set.slug });
  }
  const [, before = '', path = ''] =
    /\/sets\/[^/?#]*\/(?:versions\/([^/?#]*)|timegate|timemap)\/([^?#]*)/.exec(request.url) ?? [];
  const key = keyOfRequestPath(path);
  if (key === undefined) throw new URIError('the path has percent-encoded bytes that are not UTF-8');
  return { set, key, before: decodeURIComponent(before) };
}

/** @throws TidemarkError `not-found` */
function stampOf(datetime: string): Stamp {
  const stamp = parseDatetime(datetime);
  if (typeof stamp === 'number') return stamp;
  throw new TidemarkError('not-found', `"${datetime}" is ${stamp}: read the TimeMap for the versions`, {});
}

async function bytesOf(
  app: ServedApp,
  set: ResourceSet,
  version: Version,
  part: { readonly start: number; readonly length: number },
) {
  if (version.state.record === undefined) return app.publishing.versions.open(set, version, part);
  const opened = await app.sources.servedSourceOf(set)!.open(version, { method: 'GET', isWhole: true });
  if ('redirect' in opened) throw new Error('a record is not redirected');
  return opened.read(part);
}

function noVersion({ slug }: ResourceSet, key: ResourceKey, which = ''): TidemarkError {
  const what = which === '' ? 'no version' : `no version ${which}`;
  return new TidemarkError('not-found', `${what} of ${key} is kept in the set "${slug}"`, { set: slug, key });
}
