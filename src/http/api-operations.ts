import * as z from 'zod';
import { json, NO_PARAMETERS, type Operation } from './operation.ts';
import { limit, text, time } from './query-parameters.ts';
import {
  changesSchema,
  pageSchema,
  pagesSchema,
  resourceSchema,
  resourcesSchema,
  setSchema,
  setsSchema,
} from './schemas.ts';

/** What the JSON API is asked and answers; api-routes.ts does it. */

const entries = limit({ usual: 100, most: 10_000 });

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

export const SHOW_SET = {
  id: 'showSet',
  tag: 'sets',
  summary: 'A set with its numbers and documents',
  query: NO_PARAMETERS,
  answers: [json(setSchema, 'The set.')],
} satisfies Operation;

export const LIST_RESOURCES = {
  id: 'listResources',
  tag: 'sets',
  summary: 'The resources that are live, in the order of their keys',
  query: z.strictObject({
    limit: entries,
    after: text('Only the resources after this key: the `next` of the answer before.', '/2026/a.pdf'),
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
      'Its key: `/` and the percent-encoded path below the prefix of the set, or its URI when it lies elsewhere.',
      '/2026/a.pdf',
    ),
  }),
  answers: [json(resourceSchema, 'The resource.')],
} satisfies Operation;

export const LIST_CHANGES = {
  id: 'listChanges',
  tag: 'changes',
  summary: 'The changes, oldest first',
  query: z.strictObject({
    limit: entries,
    from: time('The time of the first change. For what follows, the `next` of the answer before.'),
    until: time('The time of the last change.'),
  }),
  answers: [json(changesSchema, 'Some of the changes.')],
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
