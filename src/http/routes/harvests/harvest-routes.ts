import type { Request, Response } from 'express';
import * as z from 'zod';
import {
  harvestErrataSchema,
  harvestErrorView,
  harvestSchema,
  harvestsSchema,
  harvestView,
  newHarvestSchema,
  shownHarvestSchema,
} from '../../../api/harvest-run-view.ts';
import { collectionOf } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { limit as limitOf } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import { harvestOf, queueHarvest } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

const AT = '/api/collections/:collection/harvests';
const NO_COLLECTION = { status: 404, description: 'There is no such collection.' };
const NO_HARVEST = { status: 404, description: 'There is no such harvest.' };
const MOST_BYTES = 65_536;
const FIRST_ERRORS = 20;

/** The runs that harvest collections. @param stopping ends bodies that are being read when the server stops */
export function harvestRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { harvestRuns } = app.records;
  const { idleTimeoutMs } = app.configuration;
  const errataOf = async (request: Request, response: Response, page: { at: number; limit: number }) => {
    const run = await harvestOf(app, request, response);
    const { errata, next } = await harvestRuns.errata(run, page);
    return { run, errata: errata.map(harvestErrorView), next };
  };

  return [
    post(AT, {
      action: 'administer',
      id: 'harvestCollection',
      tag: 'collections',
      summary: 'Adds a harvest of a collection, which a job makes',
      description: 'Of a collection one harvest runs at a time: others wait.',
      query: NO_PARAMETERS,
      body: { 'application/json': newHarvestSchema },
      answers: [
        { ...json(harvestSchema, 'The harvest, which waits for its job.', 201), headers: ['Location'] },
        NO_COLLECTION,
      ],
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const run = await queueHarvest(app, response, parseJsonBody(newHarvestSchema, body));
        response.location(`harvests/${run.number}`);
        sendJson(response, harvestView(run, collectionOf(response).provider), 201);
      },
    }),

    get(AT, {
      action: 'read-organization',
      id: 'listHarvests',
      tag: 'collections',
      summary: 'The harvests of a collection, newest first',
      query: z.strictObject({
        before: z
          .string()
          .regex(/^\d{1,9}$/, 'is the number of a harvest')
          .transform(Number)
          .optional()
          .meta({ description: 'Only harvests with lower numbers.', examples: ['17'] }),
        limit: limitOf({ usual: 20, most: 200 }),
      }),
      answers: [json(harvestsSchema, 'The harvests.'), NO_COLLECTION],
      async handle(_request, response, { before, limit }) {
        const { id, provider } = collectionOf(response);
        const runs = await harvestRuns.list(id, { before, limit });
        const last = runs.at(-1)?.number ?? 1;
        sendJson(response, {
          collection: id,
          harvests: runs.map((run) => harvestView(run, provider)),
          ...(runs.length === limit && last > 1 && { next: last }),
        });
      },
    }),

    get(`${AT}/:number`, {
      action: 'read-organization',
      id: 'showHarvest',
      tag: 'collections',
      summary: 'A harvest: its status, what was received, what became of it, and its first errors',
      query: NO_PARAMETERS,
      answers: [json(shownHarvestSchema, 'The harvest.'), NO_HARVEST],
      async handle(request, response) {
        const { run, errata } = await errataOf(request, response, { at: 0, limit: FIRST_ERRORS });
        sendJson(response, { ...harvestView(run, collectionOf(response).provider), firstErrors: errata });
      },
    }),

    get(`${AT}/:number/errata`, {
      action: 'read-organization',
      id: 'listHarvestErrors',
      tag: 'collections',
      summary: 'The records of a harvest that could not be read or transformed, with the reason',
      query: z.strictObject({
        at: z
          .string()
          .regex(/^\d{1,15}$/, 'is what `next` of a response was')
          .transform(Number)
          .optional()
          .meta({ description: 'What `next` of the response before was.' }),
        limit: limitOf({ usual: 100, most: 1_000 }),
      }),
      answers: [json(harvestErrataSchema, 'The errors and warnings.'), NO_HARVEST],
      async handle(request, response, { at = 0, limit }) {
        const { errata, next } = await errataOf(request, response, { at, limit });
        sendJson(response, { errata, ...(next !== undefined && { next }) });
      },
    }),
  ];
}
