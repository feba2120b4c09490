import type { Request, Response } from 'express';
import type * as z from 'zod';
import { administers } from '../../../access/may.ts';
import {
  changedCollectionSchema,
  collectionSchema,
  collectionsSchema,
  collectionView,
  newCollectionSchema,
} from '../../../api/collection-view.ts';
import type { Collection } from '../../../records/collections/collection.ts';
import { collectionOf, senderOf } from '../../request/admitted.ts';
import { type Answer, json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, patch, post, type Route, remove } from '../../request/route.ts';
import { requireAllowedTransform } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { shownCollections } from '../../response/shown-collections.ts';

const NO_COLLECTION: Answer = {
  status: 404,
  description: 'There is no such collection, or the sender may not know of it.',
};
const MOST_BYTES = 1_048_576;

/** Collections. @param stopping ends bodies that are being read when the server stops */
export function collectionRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { records, configuration } = app;
  const { collections } = records;
  const { idleTimeoutMs, timeZone } = configuration;
  const readJson = async <Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> =>
    parseJsonBody(schema, await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES));
  const view = (response: Response, collection: Collection) =>
    collectionView(collection, { isWhole: administers(senderOf(response)), timeZone });

  return [
    get('/api/collections', {
      action: 'read-source',
      id: 'listCollections',
      tag: 'collections',
      summary: 'The collections that the sender may read, ascending by id',
      query: NO_PARAMETERS,
      answers: [json(collectionsSchema, 'The collections.')],
      async handle(_request, response) {
        const shown = await shownCollections(records, response);
        sendJson(response, { collections: shown.map((one) => view(response, one)) });
      },
    }),

    post('/api/collections', {
      action: 'administer',
      id: 'addCollection',
      tag: 'collections',
      summary: 'Adds a collection: its repository is asked for its formats and sets first',
      description: 'A wrong address, format or set is refused with the names that exist.',
      query: NO_PARAMETERS,
      body: { 'application/json': newCollectionSchema },
      answers: [
        { ...json(collectionSchema, 'The collection was added.', 201), headers: ['Location'] },
        { status: 409, description: 'There is a collection, or a set, with this id.' },
      ],
      async handle(request, response) {
        const { collection: id, ...given } = await readJson(newCollectionSchema, request);
        await requireAllowedTransform(given, app);
        const added = await collections.add(id, given);
        response.locals.subject = added.id;
        response.location(`collections/${added.id}`);
        sendJson(response, view(response, added), 201);
      },
    }),

    get('/api/collections/:collection', {
      action: 'read-organization',
      id: 'showCollection',
      tag: 'collections',
      summary: 'A collection: its settings, and what its repository says of itself',
      query: NO_PARAMETERS,
      answers: [json(collectionSchema, 'The collection.'), NO_COLLECTION],
      handle(_request, response) {
        sendJson(response, view(response, collectionOf(response)));
      },
    }),

    patch('/api/collections/:collection', {
      action: 'administer',
      id: 'changeCollection',
      tag: 'collections',
      summary: 'Changes a collection, from the next run on',
      description: 'For another address, format or sets, the repository is asked again.',
      query: NO_PARAMETERS,
      body: { 'application/json': changedCollectionSchema },
      answers: [json(collectionSchema, 'The collection as it is now.'), NO_COLLECTION],
      async handle(request, response) {
        const changes = await readJson(changedCollectionSchema, request);
        await requireAllowedTransform(changes, app);
        sendJson(response, view(response, await collections.change(collectionOf(response).id, changes)));
      },
    }),

    remove('/api/collections/:collection', {
      action: 'administer',
      id: 'removeCollection',
      tag: 'collections',
      summary: 'Removes a collection: it is harvested no more, and its records stay',
      query: NO_PARAMETERS,
      answers: [
        { status: 204, description: 'It was removed.' },
        NO_COLLECTION,
        { status: 409, description: 'A run harvests it now.' },
      ],
      async handle(_request, response) {
        await collections.remove(collectionOf(response).id);
        response.status(204).end();
      },
    }),
  ];
}
