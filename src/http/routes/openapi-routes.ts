import * as z from 'zod';
import { VERSION } from '../../config/version.ts';
import { openApi } from '../openapi/openapi.ts';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import { renderApiPage } from '../pages/api/api-page.ts';
import { frameOf } from '../pages/parts/frame-of.ts';
import { sendPage } from '../pages/parts/send-page.ts';
import { json, NO_PARAMETERS, type Operation, page } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownSets } from '../response/shown-sets.ts';

const DESCRIBE_API = {
  id: 'describeApi',
  tag: 'operating',
  summary: 'This description, by OpenAPI 3.1',
  query: NO_PARAMETERS,
  answers: [json(z.looseObject({ openapi: z.string() }), 'The description of all routes.')],
} satisfies Operation;

const SHOW_API = {
  id: 'apiPage',
  tag: 'pages',
  summary: 'The description of the API',
  answers: [page('The page.')],
} satisfies Operation;

/** @param routes returns all routes, including these; called at the first request */
export function openApiRoutes(app: ServedApp, routes: () => readonly Route[]): readonly Route[] {
  let made: { readonly document: OpenApiDocument; readonly text: string } | undefined;
  function described() {
    if (made !== undefined) return made;
    const document = openApi(routes(), { version: VERSION, baseUrl: app.configuration.baseUrl });
    made = { document, text: JSON.stringify(document) };
    return made;
  }

  return [
    get('/api/openapi.json', {
      action: 'read-source',
      operation: DESCRIBE_API,
      handle(_request, response) {
        response.set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' });
        response.send(described().text);
      },
    }),

    get('/api/', {
      action: 'read-source',
      operation: SHOW_API,
      async handle(request, response) {
        const [frame, sets] = await Promise.all([frameOf(app, request, response), shownSets(app, response)]);
        // A set with documents, if there is one.
        const set = (sets.find(({ ready }) => ready) ?? sets[0])?.slug;
        sendPage(response, renderApiPage({ frame, document: described().document, set }));
      },
    }),
  ];
}
