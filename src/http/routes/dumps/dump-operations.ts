import * as z from 'zod';
import { changeDumpSchema, dumpSchema, removedDumpSchema } from '../../../api/dump-schemas.ts';
import { jobSchema } from '../../../api/job-schemas.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import { limit, text } from '../../request/query-parameters.ts';

/** Requests and responses about Resource Dumps; dump-routes.ts handles them. */

const NO_DUMP = { status: 404, description: 'The set has no Resource Dump.' };
const BUILT_AGAIN = { status: 410, description: 'The dump has no package `after` any more: begin anew without it.' };

export const SHOW_DUMP = {
  id: 'showDump',
  tag: 'dumps',
  summary: 'The Resource Dump of a set, with its packages',
  query: z.strictObject({
    limit: limit({ usual: 1_000, most: 10_000 }),
    after: text(
      'Only the packages after this one: the `next` of the answer before.',
      '1-00000001-1795500000000000-1-5f0c31d2',
    ),
  }),
  answers: [json(dumpSchema, 'The dump, with some of its packages.'), NO_DUMP, BUILT_AGAIN],
} satisfies Operation;

export const SHOW_CHANGE_DUMP = {
  id: 'showChangeDump',
  tag: 'dumps',
  summary: 'The Change Dump of a set, with its packages',
  query: z.strictObject({
    limit: limit({ usual: 1_000, most: 10_000 }),
    after: text('Only the packages after this one: the `next` of the answer before.', '1-00000001-1-5f0c31d2'),
  }),
  answers: [
    json(changeDumpSchema, 'The dump, with some of its packages.'),
    { status: 404, description: 'The set has no Change Dump.' },
    BUILT_AGAIN,
  ],
} satisfies Operation;

export const BUILD_DUMP = {
  id: 'buildDump',
  tag: 'dumps',
  summary: 'Builds the Resource Dump of a set anew where the set has changed',
  description:
    'Adds a job, which any process of the source may run. While one of the set waits, it is returned, and none is added.',
  query: NO_PARAMETERS,
  answers: [
    { ...json(jobSchema, 'The job: `GET /api/jobs/{name}` says how far it is.', 202), headers: ['Location'] },
    { status: 409, description: 'The bytes of the set are elsewhere.' },
  ],
} satisfies Operation;

export const REMOVE_DUMP = {
  id: 'removeDump',
  tag: 'dumps',
  summary: 'Removes the Resource Dump of a set, with all its packages',
  description: 'A build that is under way fails.',
  query: NO_PARAMETERS,
  answers: [json(removedDumpSchema, 'How many packages were removed; none when there was no dump.')],
} satisfies Operation;
