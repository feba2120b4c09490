import type { Request, Response } from 'express';
import * as z from 'zod';
import { VERSION } from '../../config/version.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { openApi } from '../openapi/openapi.ts';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import type { ApiPage } from '../pages/api/api-pages.ts';
import { renderApiGroupPage, renderApiPage } from '../pages/api/api-pages.ts';
import type { ExampleSets } from '../pages/api/curl-example.ts';
import { frameOf } from '../pages/parts/frame.ts';
import { sendPage } from '../pages/parts/send-page.ts';
import { param } from '../request/admitted.ts';
import { json, NO_PARAMETERS, page } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownSets } from '../response/shown-sets.ts';

/** @param routes returns all routes, including these; called at the first request */
export function openApiRoutes(app: ServedApp, routes: () => readonly Route[]): readonly Route[] {
  let made: { readonly document: OpenApiDocument; readonly text: string } | undefined;
  function described() {
    if (made !== undefined) return made;
    const document = openApi(routes(), { version: VERSION, baseUrl: app.configuration.baseUrl });
    made = { document, text: JSON.stringify(document) };
    return made;
  }

  async function apiPage(request: Request, response: Response): Promise<ApiPage> {
    const [frame, sets] = await Promise.all([frameOf(app, request, response), shownSets(app, response)]);
    return { frame, document: described().document, sets: examplesAmong(sets) };
  }

  return [
    get('/api/openapi.json', {
      action: 'read-source',
      id: 'describeApi',
      tag: 'operating',
      summary: 'This description, by OpenAPI 3.1',
      query: NO_PARAMETERS,
      answers: [json(z.looseObject({ openapi: z.string() }), 'The description of all routes.')],
      handle(_request, response) {
        response.set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' });
        response.send(described().text);
      },
    }),

    get('/api/', {
      action: 'read-source',
      id: 'apiPage',
      tag: 'pages',
      summary: 'The description of the API',
      answers: [page('The page.')],
      async handle(request, response) {
        sendPage(response, renderApiPage(await apiPage(request, response)));
      },
    }),

    get('/api/reference/:group', {
      action: 'read-source',
      id: 'apiGroupPage',
      tag: 'pages',
      summary: 'The description of a group of operations, or of the shapes of JSON',
      answers: [page('The page.'), { status: 404, description: 'There is no such group.' }],
      async handle(request, response) {
        const group = param(request, 'group');
        const text = renderApiGroupPage(await apiPage(request, response), group);
        if (text === undefined) {
          throw new TidemarkError('not-found', `the API has no group "${group}": /api/ lists all groups`, { group });
        }
        sendPage(response, text);
      },
    }),
  ];
}

/** Prefers a public set without a source: it takes posted events. Other sets can be read, but may refuse them. */
function examplesAmong(sets: readonly ResourceSet[]): ExampleSets {
  const posted = sets.find(({ origin, private: isPrivate }) => origin.kind === 'posted' && isPrivate !== true);
  return { read: (posted ?? sets.find(({ ready }) => ready) ?? sets[0])?.slug, posted: posted?.slug };
}
