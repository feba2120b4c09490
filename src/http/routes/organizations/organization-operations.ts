import {
  changedOrganizationSchema,
  changedStreamSchema,
  newOrganizationSchema,
  newStreamSchema,
  organizationSchema,
  organizationsSchema,
  streamSchema,
  streamsSchema,
} from '../../../api/organization-schemas.ts';
import { type Answer, json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';

/** Requests and responses about organizations and streams; organization-routes.ts handles them. */

const NO_ORGANIZATION: Answer = {
  status: 404,
  description: 'There is no such organization, or the sender may not know of it.',
};
const NO_STREAM: Answer = { status: 404, description: 'There is no such organization, or stream of it.' };

export const LIST_ORGANIZATIONS = {
  id: 'listOrganizations',
  tag: 'organizations',
  summary: 'The organizations that the sender may read, with their streams, ascending by id',
  query: NO_PARAMETERS,
  answers: [json(organizationsSchema, 'The organizations.')],
} satisfies Operation;

export const ADD_ORGANIZATION = {
  id: 'addOrganization',
  tag: 'organizations',
  summary: 'Adds an organization',
  query: NO_PARAMETERS,
  body: { 'application/json': newOrganizationSchema },
  answers: [
    { ...json(organizationSchema, 'The organization was added.', 201), headers: ['Location'] },
    { status: 409, description: 'There is an organization with this id.' },
  ],
} satisfies Operation;

export const SHOW_ORGANIZATION = {
  id: 'showOrganization',
  tag: 'organizations',
  summary: 'An organization with its streams',
  query: NO_PARAMETERS,
  answers: [json(organizationSchema, 'The organization.'), NO_ORGANIZATION],
} satisfies Operation;

export const CHANGE_ORGANIZATION = {
  id: 'changeOrganization',
  tag: 'organizations',
  summary: 'Changes title, contacts, normalization and dumps of an organization',
  query: NO_PARAMETERS,
  body: { 'application/json': changedOrganizationSchema },
  answers: [json(organizationSchema, 'The organization as it is now.'), NO_ORGANIZATION],
} satisfies Operation;

export const LIST_STREAMS = {
  id: 'listStreams',
  tag: 'organizations',
  summary: 'The streams of an organization, in the order in which they were made',
  query: NO_PARAMETERS,
  answers: [json(streamsSchema, 'The streams.'), NO_ORGANIZATION],
} satisfies Operation;

export const ADD_STREAM = {
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
} satisfies Operation;

export const SHOW_STREAM = {
  id: 'showStream',
  tag: 'organizations',
  summary: 'A stream of an organization',
  query: NO_PARAMETERS,
  answers: [json(streamSchema, 'The stream.'), NO_STREAM],
} satisfies Operation;

export const CHANGE_STREAM = {
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
} satisfies Operation;
