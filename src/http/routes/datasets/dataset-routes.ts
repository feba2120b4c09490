import type { Request, Response } from 'express';
import * as z from 'zod';
import { administers, may } from '../../../access/may.ts';
import { addRequests } from '../../../api/add-requests.ts';
import {
  datasetFilesSchema,
  datasetFilesView,
  datasetRequestSchema,
  datasetRequestsSchema,
  datasetRequestView,
  lastRequestLineSchema,
  newRequestSchema,
  REQUEST_STATES,
  requestLineSchema,
} from '../../../api/dataset-view.ts';
import type { IngestOptions, IngestRequest } from '../../../datasets/request.ts';
import { DEFAULT_SET } from '../../../datasets/results/ensure-set.ts';
import { parseRequest } from '../../../datasets/results/parse-request.ts';
import { requestId } from '../../../datasets/results/requests.ts';
import { DATASET_STATUSES } from '../../../datasets/status.ts';
import { datasetOf, senderOf } from '../../request/admitted.ts';
import { mediaTypeOf } from '../../request/media-types.ts';
import { type Answer, json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { limit as limitOf, text } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { makePrivate } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import { answerWithLines } from './answer-lines.ts';

const AT = '/api/datasets';
const MOST_BYTES = 131_072;
const NO_REQUEST: Answer = {
  status: 404,
  description: 'There is no such request, or the sender may not read its set.',
};
const BY_LINE: Answer = {
  status: 202,
  description: 'One line for each request, in their order. The last line says that all were read, or why not.',
  content: { 'application/x-ndjson': { lines: z.union([requestLineSchema, lastRequestLineSchema]) } },
};
const LINES = { lines: newRequestSchema };

const yes = (description: string) =>
  z
    .enum(['true', 'false'], 'is true or false')
    .transform((value) => value === 'true')
    .optional()
    .meta({ description });

const ADDING = z.strictObject({
  set: text('The id of the set that publishes the datasets. Usually `datasets`.', 'datasets'),
  bundle: yes('Store the file with all others that the platform makes, where there is one.'),
  followLatest: yes('Take the latest version of an identifier that is for all versions.'),
  acceptMismatch: yes('Store files that differ from what the platform says, marked.'),
});

/** The options that are on. */
function chosen(options: Omit<z.output<typeof ADDING>, 'set'>): IngestOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value === true));
}

/** Requests of datasets. @param stopping ends bodies that are being read when the server stops */
export function datasetRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { datasets, sets, configuration } = app;
  const { idleTimeoutMs } = configuration;

  return [
    post(AT, {
      action: 'post-changes',
      newSetOf: ({ query: { set } }) => (typeof set === 'string' ? set : DEFAULT_SET),
      id: 'addDatasets',
      tag: 'datasets',
      summary: 'Requests datasets: a job fetches, checks and stores each',
      description: `One request as \`application/json\`; any number as \`application/x-ndjson\`, one a line. A request of a URL whose request waits or
runs is the same one. The set is made by the first request of an administrator; then a token with the scope \`post:SET\` may add more.`,
      query: ADDING,
      body: { 'application/json': newRequestSchema, 'application/x-ndjson': LINES, 'application/ndjson': LINES },
      answers: [
        { ...json(datasetRequestSchema, 'The request, which waits for its job.', 202), headers: ['Location'] },
        BY_LINE,
        { status: 404, description: 'There is no such set yet, and the sender may not make it.' },
        { status: 409, description: 'The set is for other resources, or the URL was requested for another set.' },
      ],
      async handle(request, response, { set = DEFAULT_SET, ...options }) {
        const asked = { set, options: chosen(options) };
        const add = (requests: readonly IngestRequest[]) => addRequests(app, senderOf(response), { requests, asked });
        const body = requestBody(request, { idleTimeoutMs, stopping });
        if (mediaTypeOf(request.headers) !== 'application/json') {
          await answerWithLines(response, body, { idleTimeoutMs, add });
          return;
        }
        const given = parseRequest(parseJsonBody(newRequestSchema, await readBody(body, MOST_BYTES)));
        const [document] = await add([given]);
        const id = requestId(given);
        response.locals.subject = id;
        response.location(`datasets/${id}`);
        sendJson(response, datasetRequestView({ id, document: document! }), 202);
      },
    }),

    get(AT, {
      action: 'read-source',
      id: 'listDatasets',
      tag: 'datasets',
      summary: 'Requests of datasets of the sets that the sender may read, the newest first',
      query: z.strictObject({
        status: z.enum(DATASET_STATUSES).optional().meta({ description: 'Only those whose last result has it.' }),
        state: z.enum(REQUEST_STATES).optional(),
        set: text('Only those of this set.', 'datasets'),
        after: text('What `next` of the response before was.'),
        limit: limitOf({ usual: 50, most: 1_000 }),
      }),
      answers: [json(datasetRequestsSchema, 'The requests.')],
      async handle(_request, response, filter) {
        const sender = senderOf(response);
        const found = await sets.list();
        const shown = new Set(found.filter((set) => may(sender, 'read-state', set)).map(({ slug }) => slug));
        const isShown = (set: string) => shown.has(set) || administers(sender);
        const { requests, next } = await datasets.list({ ...filter, isShown });
        if (found.some((set) => set.private === true)) makePrivate(response);
        sendJson(response, { requests: requests.map(datasetRequestView), ...(next !== undefined && { next }) });
      },
    }),

    get(`${AT}/:dataset`, {
      action: 'read-state',
      id: 'showDataset',
      tag: 'datasets',
      summary: 'A request of a dataset, and its last result',
      query: NO_PARAMETERS,
      answers: [json(datasetRequestSchema, 'The request.'), NO_REQUEST],
      handle(_request, response) {
        sendJson(response, datasetRequestView(datasetOf(response)));
      },
    }),

    get(`${AT}/:dataset/files`, {
      action: 'read-state',
      id: 'listDatasetFiles',
      tag: 'datasets',
      summary: 'The files of the last result of a request: stored ones, and those that failed, with the reason',
      query: z.strictObject({
        at: z
          .string()
          .regex(/^\d{1,6}$/, 'is what `next` of a response was')
          .transform(Number)
          .optional()
          .meta({ description: 'What `next` of the response before was.' }),
        limit: limitOf({ usual: 100, most: 1_000 }),
      }),
      answers: [json(datasetFilesSchema, 'The files; none before there is a manifest.'), NO_REQUEST],
      async handle(_request, response, { at = 0, limit }) {
        const { id, document } = datasetOf(response);
        sendJson(response, datasetFilesView(id, await datasets.manifest(document), { at, limit }));
      },
    }),

    post(`${AT}/:dataset/retry`, {
      action: 'post-changes',
      id: 'retryDataset',
      tag: 'datasets',
      summary: 'Queues a request again, with its options',
      query: NO_PARAMETERS,
      answers: [
        json(datasetRequestSchema, 'The request, which waits for its job.', 202),
        NO_REQUEST,
        { status: 409, description: 'It waits or runs already.' },
      ],
      async handle(_request: Request, response: Response) {
        const { id } = datasetOf(response);
        sendJson(response, datasetRequestView({ id, document: await datasets.retry(id) }), 202);
      },
    }),
  ];
}
