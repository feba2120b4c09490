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
  headers: ['Accept-Datetime'],
  answers: [{ status: 302, description: 'The address of the version.', headers: ['Location', 'Link'] }],
} satisfies Operation;

const memento = z.object({ datetime: z.string().meta({ format: 'date-time' }), uri: z.string() });

const timeMap = z
  .object({
    original_uri: z.string(),
    timegate_uri: z.string(),
    timemap_uri: z.object({ link_format: z.string(), json_format: z.string() }),
    pages: z
      .object({ prev: z.object({ uri: z.string() }) })
      .optional()
      .describe('The TimeMap of older versions, when there may be any.'),
    mementos: z.object({
      first: memento.optional(),
      last: memento,
      list: z.array(memento).describe('The oldest first.'),
    }),
  })
  .meta({ id: 'TimeMap' });

export const READ_TIME_MAP = {
  id: 'readTimeMap',
  tag: 'resources',
  summary: 'The kept versions of a resource',
  description:
    'A TimeMap (RFC 7089), the oldest version first: of 1,000 changes, with a link to the TimeMap of those before.',
  query: z.object({ until: time('Versions up to this time.') }),
  answers: [
    {
      status: 200,
      description: 'Links to the versions, by `Accept`: link-format, or JSON when the client prefers that.',
      content: { 'application/link-format': 'text', 'application/json': timeMap },
    },
  ],
} satisfies Operation;
