import type { Request } from 'express';
import type * as z from 'zod';
import {
  changedOrganizationSchema,
  changedStreamSchema,
  newOrganizationSchema,
  newStreamSchema,
} from '../../../api/organization-schemas.ts';
import { organizationView, streamView } from '../../../api/organization-views.ts';
import { organizationOf, param } from '../../request/admitted.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, patch, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { readerOf, shownOrganizations } from '../../response/shown-organizations.ts';
import {
  ADD_ORGANIZATION,
  ADD_STREAM,
  CHANGE_ORGANIZATION,
  CHANGE_STREAM,
  LIST_ORGANIZATIONS,
  LIST_STREAMS,
  SHOW_ORGANIZATION,
  SHOW_STREAM,
} from './organization-operations.ts';

const MOST_BYTES = 65_536;

/** Organizations and their streams. @param stopping ends bodies that are being read when the server stops */
export function organizationRoutes(
  { records: { organizations }, configuration: { idleTimeoutMs } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const readJson = async <Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> =>
    parseJsonBody(schema, await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES));

  return [
    get('/api/organizations', {
      action: 'read-source',
      operation: LIST_ORGANIZATIONS,
      async handle(_request, response) {
        const shown = await shownOrganizations(organizations, response);
        sendJson(response, { organizations: shown.map((one) => organizationView(one, readerOf(response))) });
      },
    }),

    post('/api/organizations', {
      action: 'administer',
      operation: ADD_ORGANIZATION,
      async handle(request, response) {
        const { organization: id, contacts = [], ...fields } = await readJson(newOrganizationSchema, request);
        const added = await organizations.add(id, { ...fields, contacts });
        response.locals.subject = added.id;
        response.location(`organizations/${added.id}`);
        sendJson(response, organizationView(added), 201);
      },
    }),

    get('/api/organizations/:org', {
      action: 'read-organization',
      operation: SHOW_ORGANIZATION,
      handle(_request, response) {
        sendJson(response, organizationView(organizationOf(response), readerOf(response)));
      },
    }),

    patch('/api/organizations/:org', {
      action: 'administer',
      operation: CHANGE_ORGANIZATION,
      async handle(request, response) {
        const { title, contacts, normalization, dumps, ...access } = await readJson(changedOrganizationSchema, request);
        const changes = {
          ...access,
          ...(title !== undefined && { title: title ?? '' }),
          ...(contacts && { contacts }),
          ...(normalization !== undefined && { normalization: normalization ?? undefined }),
          ...(dumps && { dumps }),
        };
        const changed = await organizations.change(param(request, 'org'), changes);
        sendJson(response, organizationView(changed));
      },
    }),

    get('/api/organizations/:org/streams', {
      action: 'read-organization',
      operation: LIST_STREAMS,
      handle(_request, response) {
        const { organization, streams } = organizationView(organizationOf(response));
        sendJson(response, { organization, streams });
      },
    }),

    post('/api/organizations/:org/streams', {
      action: 'administer',
      operation: ADD_STREAM,
      async handle(request, response) {
        const { stream, title } = await readJson(newStreamSchema, request);
        const changed = await organizations.addStream(param(request, 'org'), stream, title);
        response.locals.subject = stream;
        response.location(`streams/${stream}`);
        sendJson(response, streamView(changed, stream), 201);
      },
    }),

    get('/api/organizations/:org/streams/:stream', {
      action: 'read-organization',
      operation: SHOW_STREAM,
      handle(request, response) {
        sendJson(response, streamView(organizationOf(response), param(request, 'stream')));
      },
    }),

    patch('/api/organizations/:org/streams/:stream', {
      action: 'administer',
      operation: CHANGE_STREAM,
      async handle(request, response) {
        const stream = param(request, 'stream');
        const { title, ...changes } = await readJson(changedStreamSchema, request);
        const titled = { ...changes, ...(title !== undefined && { title: title ?? '' }) };
        sendJson(response, streamView(await organizations.changeStream(param(request, 'org'), stream, titled), stream));
      },
    }),
  ];
}
