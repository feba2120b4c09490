import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { streamDumpsView } from '../../../api/stream-dump-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { boundaryAfter, formatStamp } from '../../../core/stamp.ts';
import type { PublishedDocument } from '../../../publish/published-document.ts';
import type { Organization, Stream } from '../../../records/organization.ts';
import { type StreamName, setOfStream } from '../../../records/stream-set-names.ts';
import { summarize } from '../../../sets/summarized-sets.ts';
import { directRequest, organizationOf, param } from '../../request/admitted.ts';
import { xml } from '../../request/operation.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { answerDocument } from '../../response/answer-document.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { shownOrganizations } from '../../response/shown-organizations.ts';
import {
  capabilityList,
  FLAVORS,
  type Flavor,
  type ListedList,
  normalizedList,
  resourceListIndex,
} from './pod-lists.ts';
import { podStreamOf } from './pod-shapes.ts';

const packed = promisify(gzip);

const WELL_KNOWN = '/.well-known/resourcesync';
const OF_ALL = '/organizations';
const OF_ONE = '/organizations/:org';
const OF_STREAM = '/organizations/:org/streams/:stream';

const OF_NORMALIZED =
  'The last full dump and the deltas after it, each with its records in one format and the ids to delete. Without a format, MARCXML.';
const OPERATION = { tag: 'pod', isConditional: true, answers: [xml('The document.')] } as const;
const NO_FLAVOR = { status: 404, description: 'There is no such organization, stream or format.' };

/** The documents of ResourceSync at the addresses of the POD aggregator: views of dumps and uploads. */
export function podListRoutes(app: ServedApp): readonly Route[] {
  const { organizations } = app.records;
  const { baseUrl, idleTimeoutMs } = app.configuration;

  async function send(request: Request, response: Response, document: PublishedDocument): Promise<void> {
    // Which organizations are listed, and whether one is private, depends on the sender.
    const answer = await answerDocument(directRequest(request, response), { document, isPrivate: true });
    await sendAnswer(response, answer, idleTimeoutMs);
  }

  const sendText = async (request: Request, response: Response, text: string) =>
    send(request, response, await documentOf(text));

  /** One list for each organization that has a default stream and that the sender may read. */
  async function listsOf(response: Response, flavor: Flavor | undefined): Promise<readonly ListedList[]> {
    const shown = (await shownOrganizations(organizations, response)).flatMap((organization) => {
      const stream = organization.streams.find(({ id }) => id === organization.defaultStream);
      return stream === undefined ? [] : [{ organization, stream }];
    });
    const slugs = shown.map(({ organization: { id }, stream }) =>
      flavor === undefined
        ? setOfStream({ organization: id, stream: stream.id }, 'uploads')
        : setOfStream({ organization: id }, 'dumps'),
    );
    const times = await timesOf(slugs);
    return shown.map(({ organization, stream }, at) => ({
      uri: `${baseUrl}/organizations/${organization.id}/streams/${stream.id}/${listName(flavor)}`,
      at: times.get(slugs[at]!) ?? formatStamp(stream.created * 1000),
    }));
  }

  /** The times of sets after their last change, without sets that never changed. */
  async function timesOf(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(slugs);
    const sets = (await app.sets.list()).filter(({ slug }) => wanted.has(slug));
    const summarized = await summarize(app.index, sets);
    const changed = summarized.filter(({ summary }) => summary.lastChange > 0);
    return new Map(changed.map(({ set, summary }) => [set.slug, formatStamp(boundaryAfter(summary.lastChange))]));
  }

  async function sendIndex(request: Request, response: Response, flavor: Flavor | undefined): Promise<void> {
    const lists = await listsOf(response, flavor);
    await sendText(request, response, resourceListIndex(lists, upOf(flavor), formatStamp(Date.now() * 1000)));
  }

  async function sendUploads(request: Request, response: Response): Promise<void> {
    const organization = organizationOf(response);
    const stream = streamIn(request, organization);
    const set = setOfStream({ organization: organization.id, stream: stream?.id }, 'uploads');
    await send(request, response, await app.publishing.publisher.setDocument({ kind: 'resourceList', set }));
  }

  async function sendNormalized(request: Request, response: Response): Promise<void> {
    const organization = organizationOf(response);
    const flavor = flavorIn(request);
    const stream = streamIn(request, organization);
    const name = dumpedAs(organization, stream);
    const slug = setOfStream(name, 'dumps');
    // Before the dumps are read, so that every change up to this time is listed.
    const at = (await timesOf([slug])).get(slug) ?? formatStamp((stream ?? organization).created * 1000);
    const { dumps } = await streamDumpsView(name, app);
    const list = normalizedList({
      flavor,
      dumps,
      at,
      up: upOf(flavor),
      index: `${baseUrl}${OF_ALL}/${listName(flavor)}`,
    });
    await sendText(request, response, list);
  }

  const upOf = (flavor: Flavor | undefined) =>
    `${baseUrl}${WELL_KNOWN}/${flavor === undefined ? 'capabilitylist' : `normalized-capabilitylist/${flavor}`}`;
  const sendCapabilities = (request: Request, response: Response, flavor: Flavor | undefined) =>
    sendText(request, response, capabilityList(`${baseUrl}${OF_ALL}/${listName(flavor)}`, `${baseUrl}${WELL_KNOWN}`));

  return [
    get(`${WELL_KNOWN}/capabilitylist`, {
      ...OPERATION,
      action: 'read-source',
      id: 'podCapabilities',
      summary: 'Where the list of all uploaded files is',
      handle: (request, response) => sendCapabilities(request, response, undefined),
    }),
    get(`${OF_ALL}/resourcelist`, {
      ...OPERATION,
      action: 'read-source',
      id: 'podUploadsOfAll',
      summary: 'The lists of uploaded files of all organizations',
      handle: (request, response) => sendIndex(request, response, undefined),
    }),
    ...[OF_ONE, OF_STREAM].map((path) =>
      get(`${path}/resourcelist`, {
        ...OPERATION,
        action: 'read-organization',
        id: path === OF_ONE ? 'podUploads' : 'podUploadsOfStream',
        summary: 'The uploaded files of a stream, oldest first',
        answers: [...OPERATION.answers, { status: 404, description: 'There is no such organization or stream.' }],
        handle: sendUploads,
      }),
    ),
    ...withoutAndWithFlavor(`${WELL_KNOWN}/normalized-capabilitylist`).map(({ path, suffix }) =>
      get(path, {
        ...OPERATION,
        action: 'read-source',
        id: `podNormalizedCapabilities${suffix}`,
        summary: 'Where the list of all dumps in a format is',
        answers: [...OPERATION.answers, NO_FLAVOR],
        handle: (request, response) => sendCapabilities(request, response, flavorIn(request)),
      }),
    ),
    ...withoutAndWithFlavor(`${OF_ALL}/normalized_resourcelist`).map(({ path, suffix }) =>
      get(path, {
        ...OPERATION,
        action: 'read-source',
        id: `podDumpsOfAll${suffix}`,
        summary: 'The lists of dumps of all organizations in a format',
        answers: [...OPERATION.answers, NO_FLAVOR],
        handle: (request, response) => sendIndex(request, response, flavorIn(request)),
      }),
    ),
    ...[OF_ONE, OF_STREAM].flatMap((of) =>
      withoutAndWithFlavor(`${of}/normalized_resourcelist`).map(({ path, suffix }) =>
        get(path, {
          ...OPERATION,
          action: 'read-organization',
          id: `${of === OF_ONE ? 'podDumps' : 'podDumpsOfStream'}${suffix}`,
          summary: 'The dumps of a stream in a format, oldest first',
          description: OF_NORMALIZED,
          answers: [...OPERATION.answers, NO_FLAVOR],
          handle: sendNormalized,
        }),
      ),
    ),
  ];
}

function withoutAndWithFlavor(path: string) {
  return [
    { path, suffix: '' },
    { path: `${path}/:flavor`, suffix: 'InFormat' },
  ];
}

function listName(flavor: Flavor | undefined): string {
  return flavor === undefined ? 'resourcelist' : `normalized_resourcelist/${flavor}`;
}

/** @throws TidemarkError `not-found` */
function flavorIn(request: Request): Flavor {
  const named = param(request, 'flavor') || FLAVORS[0];
  const flavor = FLAVORS.find((one) => one === named);
  if (flavor !== undefined) return flavor;
  const message = `there is no format ${JSON.stringify(named.slice(0, 40))} of records: use ${FLAVORS.join(' or ')}`;
  throw new TidemarkError('not-found', message);
}

/** Undefined for the default stream, which the path need not name. @throws TidemarkError `not-found` */
function streamIn(request: Request, organization: Organization): Stream | undefined {
  const named = param(request, 'stream');
  return named === '' ? undefined : podStreamOf(organization, named);
}

/** The dumps of the default stream are those of the organization, which go on with the next default stream. */
function dumpedAs({ id: organization, defaultStream }: Organization, stream: Stream | undefined): StreamName {
  return stream === undefined || stream.id === defaultStream ? { organization } : { organization, stream: stream.id };
}

async function documentOf(text: string): Promise<PublishedDocument> {
  const identity = Buffer.from(text);
  const zipped = await packed(identity, { level: constants.Z_BEST_SPEED });
  return {
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 32),
    newest: 0,
    rendered: Date.now(),
    immutable: false,
    lengths: { identity: identity.length, gzip: zipped.length },
    open: async (encoding) => (encoding === 'gzip' ? zipped : identity),
  };
}
