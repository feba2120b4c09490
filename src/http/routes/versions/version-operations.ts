import * as z from 'zod';
import type { Operation } from '../../request/operation.ts';
import { time } from '../../request/query-parameters.ts';

export const READ_VERSION = {
  id: 'readVersion',
  tag: 'resources',
  summary: 'A kept version of a resource',
  description:
    'A Memento (RFC 7089), of sets that keep versions. The datetime is that of the change in the Change List.',
  isConditional: true,
  hasRanges: true,
  answers: [
    {
      status: 200,
      description: 'The bytes as they were.',
      content: { '*/*': 'bytes' },
      headers: ['Link', 'Memento-Datetime'],
    },
  ],
} satisfies Operation;

export const READ_TIME_GATE = {
  id: 'readTimeGate',
  tag: 'resources',
  summary: 'The version of a resource at a time',
  description:
    'A TimeGate (RFC 7089): `Accept-Datetime` says which time; without it, the latest. Before the first version, the first.',
  answers: [{ status: 302, description: 'The address of the version.', headers: ['Location', 'Link'] }],
} satisfies Operation;

export const READ_TIME_MAP = {
  id: 'readTimeMap',
  tag: 'resources',
  summary: 'The kept versions of a resource',
  description:
    'A TimeMap (RFC 7089), the oldest version first: of 1,000 changes, with a link to the TimeMap of those before.',
  query: z.object({ until: time('Versions up to this time.') }),
  answers: [{ status: 200, description: 'Links to the versions.', content: { 'application/link-format': 'text' } }],
} satisfies Operation;
