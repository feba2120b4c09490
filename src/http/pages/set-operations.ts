import * as z from 'zod';
import { page as htmlPage, type Operation, pageOperation } from '../request/operation.ts';
import { before, changeKind, day, pageNumber, searchedName } from './parts/page-query.ts';

/** The pages of a set. Links may contain additional parameters, so unknown ones are ignored. */

export const SET = {
  ...pageOperation('setPage', 'A set with its numbers, how it has changed, and its documents'),
  answers: [{ ...htmlPage('The page.'), headers: ['Link'] }],
} satisfies Operation;
export const CHANGES = {
  ...pageOperation(
    'changesPage',
    'The changes of a set, newest first: all, or those of a kind, of some days, or with some text in their name',
  ),
  query: z
    .object({ q: searchedName, kind: changeKind, from: day, until: day, before })
    .refine(({ from = '', until = from }) => from <= until, { path: ['until'], error: 'is earlier than from' }),
};
export const FIND = {
  ...pageOperation('findPage', 'The resources of a set, or those with some text in their name'),
  query: z.object({ q: searchedName, after: z.string().optional() }),
};
export const RESOURCE = {
  ...pageOperation('resourcePage', 'A resource with its state and its history'),
  query: z.object({ key: z.string().optional(), uri: z.string().optional(), before }),
};
export const PAGES = {
  ...pageOperation('pagesPage', 'The pages of the Resource List'),
  query: z.object({ page: pageNumber, refreshed: z.string().optional() }),
};
export const POSTINGS = pageOperation('postingsPage', 'Who posted what to a set, and what was rejected and why');
export const REFRESH = {
  id: 'refreshPageByForm',
  tag: 'pages',
  summary: 'Renders a page of the Resource List anew, and leads back to the pages',
  query: z.object({ page: pageNumber }),
  answers: [{ status: 303, description: 'It was rendered.', headers: ['Location'] }],
} satisfies Operation;
export const BUILD_DUMP = {
  id: 'buildDumpByForm',
  tag: 'pages',
  summary: 'Adds a job that builds the Resource Dump of a set, and leads back to the page of the set',
  answers: [
    { status: 303, description: 'It was added, or one waits already.', headers: ['Location'] },
    { status: 409, description: 'The bytes of the set are elsewhere.' },
  ],
} satisfies Operation;

export const KEEP_LIST = {
  id: 'keepListByForm',
  tag: 'pages',
  summary: 'Adds a job that keeps the Resource List of a set in its archive, and leads back to the page of the set',
  answers: [{ status: 303, description: 'It was added, or one waits already.', headers: ['Location'] }],
} satisfies Operation;
