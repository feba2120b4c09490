import * as z from 'zod';
import {
  activitySchema,
  changesSchema,
  latestChangesSchema,
  pageSchema,
  pagesSchema,
  postingsSchema,
  resourceSchema,
  resourcesSchema,
  setsSchema,
} from '../../api/schemas.ts';
import { MOST_ENTRIES } from '../../observe/audit/posting-entry.ts';
import { MOST_UNITS } from '../../stores/activity-memory.ts';
import { json, NO_PARAMETERS, type Operation } from '../request/operation.ts';
import { choice, limit, text, time } from '../request/query-parameters.ts';

/** Requests and responses of the JSON API; api-routes.ts handles them. */

const entries = limit({ usual: 100, most: 10_000 });
const MAY_BE_SHORTER =
  'An answer has fewer entries than `limit` when they have some 8 MB: go on with `next`, as long as there is one.';

export const LIST_SETS = {
  id: 'listSets',
  tag: 'sets',
  summary: 'The sets, in the order of their ids',
  query: z.strictObject({
    limit: limit({ usual: 100, most: 1000 }),
    after: text('Only the sets after this id: the `next` of the answer before.', 'papers'),
  }),
  answers: [json(setsSchema, 'Some of the sets.')],
} satisfies Operation;

export const LIST_RESOURCES = {
  id: 'listResources',
  tag: 'sets',
  summary: 'The resources that are live, in the order of their keys',
  description: `${MAY_BE_SHORTER} With \`contains\`, an answer holds at most 1,000, and comes after half a second or so: it may hold fewer than there are, even none; \`next\` then says how far the search came. All were searched when there is no \`next\`.`,
  query: z.strictObject({
    limit: entries,
    after: text('Only the resources after this key: the `next` of the answer before.', '/2026/a.pdf'),
    contains: text(
      'Only the resources whose key holds this text, not percent-encoded; the case of ASCII letters does not count. What begins with `/` or `^` is the beginning of a path, and then case counts.',
      'report 2026',
    ),
  }),
  answers: [json(resourcesSchema, 'Some of the resources.')],
} satisfies Operation;

export const SHOW_RESOURCE = {
  id: 'showResource',
  tag: 'sets',
  summary: 'One resource, by its URI or its key',
  description: 'One of `uri` and `key` is needed. For a resource that was deleted, the error says when.',
  query: z.strictObject({
    uri: text('The URI of the resource.', 'https://data.example.org/papers/2026/a.pdf'),
    key: text(
      'Its key: `/` and the percent-encoded path below the prefix of the set, or its URI when it is elsewhere.',
      '/2026/a.pdf',
    ),
  }),
  answers: [json(resourceSchema, 'The resource.')],
} satisfies Operation;

export const LIST_CHANGES = {
  id: 'listChanges',
  tag: 'changes',
  summary: 'The changes, oldest first',
  description: MAY_BE_SHORTER,
  query: z.strictObject({
    limit: entries,
    from: time('The time of the first change. For what follows, the `next` of the answer before.'),
    until: time('The time of the last change.'),
  }),
  answers: [json(changesSchema, 'Some of the changes.')],
} satisfies Operation;

export const LIST_LATEST_CHANGES = {
  id: 'listLatestChanges',
  tag: 'changes',
  summary: 'The changes, newest first',
  description: MAY_BE_SHORTER,
  query: z.strictObject({
    limit: entries,
    until: time('The time of the newest change. For what follows, the `next` of the answer before.'),
  }),
  answers: [json(latestChangesSchema, 'Some of the changes.')],
} satisfies Operation;

export const SHOW_HISTORY = {
  id: 'showHistory',
  tag: 'changes',
  summary: 'The changes of one resource, newest first',
  description: `One of \`uri\` and \`key\` is needed. A resource that was deleted has a history, too. ${MAY_BE_SHORTER}`,
  query: z.strictObject({
    uri: text('The URI of the resource.', 'https://data.example.org/papers/2026/a.pdf'),
    key: text('Its key.', '/2026/a.pdf'),
    limit: limit({ usual: 100, most: 1000 }),
    until: time('The time of the newest change. For what follows, the `next` of the answer before.'),
  }),
  answers: [json(latestChangesSchema, 'Some of its changes.')],
} satisfies Operation;

export const SHOW_ACTIVITY = {
  id: 'showActivity',
  tag: 'changes',
  summary: 'How many changes there were in each hour or day',
  description: `Of UTC, in the order of time. At most ${MOST_UNITS} at once; without \`from\`, the last 30 days or the last 48 hours.`,
  query: z.strictObject({
    unit: choice(['day', 'hour'], 'What to count by.'),
    from: time('A time of the first hour or day.'),
    until: time('A time of the last hour or day: now, without it.'),
  }),
  answers: [json(activitySchema, 'The numbers.')],
} satisfies Operation;

export const LIST_POSTINGS = {
  id: 'listPostings',
  tag: 'changes',
  summary: 'Who posted lately, and what was rejected and why',
  description:
    'The last postings, newest first, for those who may post to the set. It is an account for people: entries come some seconds late, and the last ones are lost when a server is killed.',
  query: z.strictObject({ limit: limit({ usual: 50, most: MOST_ENTRIES }) }),
  answers: [json(postingsSchema, 'The postings.')],
} satisfies Operation;

export const LIST_PAGES = {
  id: 'listPages',
  tag: 'sets',
  summary: 'The pages of the Resource List',
  query: NO_PARAMETERS,
  answers: [json(pagesSchema, 'All pages, in the order of the keys that they hold.')],
} satisfies Operation;

export const REFRESH_PAGE = {
  id: 'refreshPage',
  tag: 'sets',
  summary: 'Renders a page of the Resource List anew',
  query: NO_PARAMETERS,
  answers: [json(pageSchema, 'The page as it is now.')],
} satisfies Operation;
