import * as z from 'zod';
import { setSchema } from '../../../api/schemas.ts';
import {
  changedSettingsSchema,
  newSetSchema,
  removedSetSchema,
  requestedScanSchema,
} from '../../../api/set-schemas.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import { choice } from '../../request/query-parameters.ts';

/** Requests and responses about one set; set-routes.ts handles them. */

export const SHOW_SET = {
  id: 'showSet',
  tag: 'sets',
  summary: 'A set with its numbers and documents',
  query: NO_PARAMETERS,
  answers: [json(setSchema, 'The set; with all of its settings, for administrators.')],
} satisfies Operation;

export const ADD_SET = {
  id: 'addSet',
  tag: 'sets',
  summary: 'Adds a set',
  description:
    'A set with a root or with records is read by the server that keeps sets in sync, which begins within seconds; its lists exist when all was read.',
  query: NO_PARAMETERS,
  body: { 'application/json': newSetSchema },
  answers: [
    { ...json(setSchema, 'The set was added; with all of its settings.', 201), headers: ['Location'] },
    { status: 409, description: 'The id, or an alias, is or was that of another set.' },
  ],
} satisfies Operation;

export const CHANGE_SET = {
  id: 'changeSet',
  tag: 'sets',
  summary: 'Changes settings of a set',
  description: 'What each change causes is in docs/configuration.md.',
  query: NO_PARAMETERS,
  body: { 'application/json': changedSettingsSchema },
  answers: [
    json(setSchema, 'The set as it is now, with all of its settings.'),
    { status: 409, description: 'Another set has an alias as its name.' },
  ],
} satisfies Operation;

export const REMOVE_SET = {
  id: 'removeSet',
  tag: 'sets',
  summary: 'Removes a set from the source, for good',
  description:
    'Its addresses answer 410 from then on. Files are not touched; stored packages, archived lists and kept versions are removed by nightly jobs. The id can only be used again if the set never had a change.',
  query: z.strictObject({
    confirm: choice(['no', 'yes'], 'Whether a set that has changes is to be removed.'),
  }),
  answers: [
    json(removedSetSchema, 'It was removed.'),
    { status: 409, description: 'The set has changes, and `confirm` is not `yes`.' },
  ],
} satisfies Operation;

export const SCAN_SET = {
  id: 'scanSet',
  tag: 'sets',
  summary: 'Compares all of a set with its source again',
  description:
    'The server that keeps sets in sync begins within seconds. What it changes is among the postings of the set when it is done.',
  query: NO_PARAMETERS,
  answers: [
    json(requestedScanSchema, 'A scan begins soon.', 202),
    { status: 409, description: 'The set has no source: its changes are posted.' },
  ],
} satisfies Operation;
