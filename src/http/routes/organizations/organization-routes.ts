import type { Request } from 'express';
import * as z from 'zod';
import {
  changedOrganizationSchema,
  changedStreamSchema,
  newOrganizationSchema,
  newStreamSchema,
  organizationSchema,
  organizationsSchema,
  organizationView,
  streamSchema,
  streamsSchema,
  streamView,
} from '../../../api/organization-view.ts';
import {
  removalOfOrganization,
  removalOfStream,
  removedOrganizationSchema,
  removedStreamSchema,
} from '../../../api/removal-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { organizationOf, param } from '../../request/admitted.ts';
import { type Answer, json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { choice } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, patch, post, type Route, remove } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { readerOf, shownOrganizations } from '../../response/shown-organizations.ts';

const NO_ORGANIZATION: Answer = {
  status: 404,
  description: 'There is no such organization, or the sender may not know of it.',
};
const NO_STREAM: Answer = { status: 404, description: 'There is no such organization, or stream of it.' };

const CONFIRM = z.strictObject({ confirm: choice(['no', 'yes'], 'Whether it is to be removed.') });

const MOST_BYTES = 65_536;

/** Organizations and their streams. @param stopping ends bodies that are being read when the server stops */
export function organizationRoutes(
  { records: { organizations, streamRemovals }, jobs, configuration: { idleTimeoutMs } }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const readJson = async <Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> =>
    parseJsonBody(schema, await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES));

  return [
    get('/api/organizations', {
      action: 'read-source',
      id: 'listOrganizations',
      tag: 'organizations',
      summary: 'The organizations that the sender may read, with their streams, ascending by id',
      query: NO_PARAMETERS,
      answers: [json(organizationsSchema, 'The organizations.')],
      async handle(_request, response) {
        const shown = await shownOrganizations(organizations, response);
        sendJson(response, { organizations: shown.map((one) => organizationView(one, readerOf(response, one))) });
      },
    }),

    post('/api/organizations', {
      action: 'administer',
      id: 'addOrganization',
      tag: 'organizations',
      summary: 'Adds an organization',
      query: NO_PARAMETERS,
      body: { 'application/json': newOrganizationSchema },
      answers: [
        { ...json(organizationSchema, 'The organization was added.', 201), headers: ['Location'] },
        { status: 409, description: 'There is an organization with this id.' },
      ],
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
      id: 'showOrganization',
      tag: 'organizations',
      summary: 'An organization with its streams',
      query: NO_PARAMETERS,
      answers: [json(organizationSchema, 'The organization.'), NO_ORGANIZATION],
      handle(_request, response) {
        const organization = organizationOf(response);
        sendJson(response, organizationView(organization, readerOf(response, organization)));
      },
    }),

    patch('/api/organizations/:org', {
      action: 'manage-organization',
      id: 'changeOrganization',
      tag: 'organizations',
      summary: 'Changes title, contacts, normalization, dumps and messages of an organization',
      query: NO_PARAMETERS,
      body: { 'application/json': changedOrganizationSchema },
      answers: [json(organizationSchema, 'The organization as it is now.'), NO_ORGANIZATION],
      async handle(request, response) {
        const { title, contacts, normalization, dumps, messages, ...access } = await readJson(
          changedOrganizationSchema,
          request,
        );
        const changes = {
          ...access,
          ...(title !== undefined && { title: title ?? '' }),
          ...(contacts && { contacts }),
          ...(normalization !== undefined && { normalization: normalization ?? undefined }),
          ...(dumps && { dumps }),
          ...(messages && { messages }),
        };
        const changed = await organizations.change(param(request, 'org'), changes);
        sendJson(response, organizationView(changed));
      },
    }),

    remove('/api/organizations/:org', {
      action: 'administer',
      id: 'removeOrganization',
      tag: 'organizations',
      summary: 'Removes an organization with all of its streams, for good',
      description:
        'From then on it accepts nothing; a job removes streams, sets, uploads, records, dumps, collections and schedules, and revokes tokens that are for it alone. Artifacts of its activities stay. Its id and those of its sets cannot be used again.',
      query: CONFIRM,
      answers: [
        json(removedOrganizationSchema, 'It is being removed, and that frees so much.', 202),
        NO_ORGANIZATION,
        { status: 409, description: '`confirm` is not `yes`: the error says what would be freed.' },
      ],
      async handle(request, response, { confirm }) {
        const organization = param(request, 'org');
        const freed = { organization, ...(await streamRemovals.measureOrganization(organization)) };
        requireConfirmed(confirm, removalOfOrganization(organization, freed), freed);
        await streamRemovals.beginOrganization(organization);
        sendJson(response, { ...freed, job: await jobs.removals.add() }, 202);
      },
    }),

    get('/api/organizations/:org/streams', {
      action: 'read-organization',
      id: 'listStreams',
      tag: 'organizations',
      summary: 'The streams of an organization, in the order in which they were made',
      query: NO_PARAMETERS,
      answers: [json(streamsSchema, 'The streams.'), NO_ORGANIZATION],
      handle(_request, response) {
        const { organization, streams } = organizationView(organizationOf(response));
        sendJson(response, { organization, streams });
      },
    }),

    post('/api/organizations/:org/streams', {
      action: 'manage-organization',
      id: 'addStream',
      tag: 'organizations',
      summary: 'Makes a stream',
      description: 'The first stream of an organization is its default.',
      query: NO_PARAMETERS,
      body: { 'application/json': newStreamSchema },
      answers: [
        { ...json(streamSchema, 'The stream was made.', 201), headers: ['Location'] },
        NO_ORGANIZATION,
        { status: 409, description: 'The organization has a stream with this id.' },
      ],
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
      id: 'showStream',
      tag: 'organizations',
      summary: 'A stream of an organization',
      query: NO_PARAMETERS,
      answers: [json(streamSchema, 'The stream.'), NO_STREAM],
      handle(request, response) {
        sendJson(response, streamView(organizationOf(response), param(request, 'stream')));
      },
    }),

    patch('/api/organizations/:org/streams/:stream', {
      action: 'manage-organization',
      id: 'changeStream',
      tag: 'organizations',
      summary: 'Changes title and dumps of a stream, makes it the default, or archives it',
      query: NO_PARAMETERS,
      body: { 'application/json': changedStreamSchema },
      answers: [
        json(streamSchema, 'The stream as it is now.'),
        NO_STREAM,
        { status: 409, description: 'The default stream would be an archived one.' },
      ],
      async handle(request, response) {
        const stream = param(request, 'stream');
        const { title, ...changes } = await readJson(changedStreamSchema, request);
        const titled = { ...changes, ...(title !== undefined && { title: title ?? '' }) };
        sendJson(response, streamView(await organizations.changeStream(param(request, 'org'), stream, titled), stream));
      },
    }),

    remove('/api/organizations/:org/streams/:stream', {
      action: 'manage-organization',
      id: 'removeStream',
      tag: 'organizations',
      summary: 'Removes a stream, for good',
      description:
        'From then on it takes no uploads; a job removes its sets, uploads, records and dumps. Its id and those of its sets cannot be used again.',
      query: CONFIRM,
      answers: [
        json(removedStreamSchema, 'It is being removed, and that frees so much.', 202),
        NO_STREAM,
        {
          status: 409,
          description:
            '`confirm` is not `yes`: the error says what would be freed. Or it is the default stream, or that of a collection.',
        },
      ],
      async handle(request, response, { confirm }) {
        const name = { organization: param(request, 'org'), stream: param(request, 'stream') };
        const freed = { ...name, ...(await streamRemovals.measureStream(name)) };
        requireConfirmed(confirm, removalOfStream(name.organization, name.stream, freed), freed);
        await streamRemovals.beginStream(name);
        sendJson(response, { ...freed, job: await jobs.removals.add() }, 202);
      },
    }),
  ];
}

/** @throws TidemarkError `conflict` */
function requireConfirmed(confirm: string | undefined, what: string, details: Record<string, unknown>): void {
  if (confirm !== 'yes')
    throw new TidemarkError('conflict', `${what}. Confirm that it is to be removed, by confirm=yes`, details);
}
