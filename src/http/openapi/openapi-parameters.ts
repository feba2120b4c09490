import { SLUG } from '../../core/resource-set.ts';
import { REQUEST_HEADERS, type RequestHeader } from '../request/operation-headers.ts';
import type { Route } from '../request/route.ts';
import type { JsonSchema, Parameter } from './openapi-document.ts';
import type { OpenApiSchemas } from './openapi-schemas.ts';

type Described = Pick<Parameter, 'description' | 'schema' | 'example'>;

/** The meaning of each name in a path. */
const IN_PATH: Readonly<Record<string, Described>> = {
  set: {
    description: 'The id of a set.',
    schema: { type: 'string', pattern: SLUG.source },
    example: 'papers',
  },
  org: {
    description: 'The id of an organization.',
    schema: { type: 'string', pattern: SLUG.source },
    example: 'lane',
  },
  stream: {
    description: 'The id of a stream of the organization.',
    schema: { type: 'string', pattern: SLUG.source },
    example: 'main',
  },
  collection: {
    description: 'The id of a collection.',
    schema: { type: 'string', pattern: SLUG.source },
    example: 'arxiv',
  },
  dataset: {
    description: 'The id of a request of a dataset.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    example: 'd1e2880c4a37a2f12811d32b580c35b8',
  },
  number: {
    description: 'The number of an upload, of a run of the activity, or of a harvest.',
    schema: { type: 'string', pattern: '^[0-9]{1,9}$' },
    example: '1',
  },
  activity: {
    description: 'An activity.',
    schema: { type: 'string', enum: ['harvest', 'mapping', 'enrichment', 'indexing'] },
    example: 'harvest',
  },
  flavor: {
    description: 'The format of records.',
    schema: { type: 'string', enum: ['marcxml', 'marc21'] },
    example: 'marcxml',
  },
  position: {
    description: 'Which file of the upload, from 1.',
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,5}$' },
    example: '1',
  },
  id: { description: 'The id of a token.', schema: { type: 'string', minLength: 1 }, example: '5f3a9c0b12de' },
  upload: {
    description: 'The id of a resumable upload.',
    schema: { type: 'string', minLength: 1 },
    example: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  },
  kind: { description: 'A kind of job.', schema: { type: 'string', minLength: 1 }, example: 'archive-log' },
  job: {
    description: 'The id of a job of this kind.',
    schema: { type: 'string', minLength: 1 },
    example: '20261123T020000Z',
  },
  name: {
    description: 'What an index or the list of pages calls it.',
    schema: { type: 'string', pattern: '^[0-9]{1,9}-[0-9]{8,12}$' },
    example: '1-00000001',
  },
  part: {
    description: 'What the index calls it.',
    schema: { type: 'string', pattern: '^[0-9]{5}$' },
    example: '00001',
  },
  time: {
    description: 'The time of an archived list as the archive has it; with a number, a page of the list.',
    schema: { type: 'string', pattern: '^[0-9]{8}T[0-9]{12}Z(-[0-9]{5,})?$' },
    example: '20261123T020000123457Z',
  },
  datetime: {
    description: 'The time of a change as the Change List has it: the version is the one after it.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-23T02:00:00.123456Z',
  },
  file: {
    description: 'The name of a package in the dump, with `.zip`; with `.xml`, its manifest.',
    schema: { type: 'string', pattern: '^[0-9]+-[0-9]+-([0-9]+-)?[0-9]+-[0-9a-f]{8}\\.(zip|xml)$' },
    example: '1-00000001-1763765435123457-1-1f2e3d4c.zip',
  },
  group: {
    description: 'A group of operations, or `shapes`.',
    schema: { type: 'string', minLength: 1 },
    example: 'changes',
  },
  path: {
    description: 'The path of the resource below the prefix of the set, percent-encoded; its slashes stay as they are.',
    schema: { type: 'string', minLength: 1 },
    example: '2026/a.pdf',
  },
};

const CONDITIONS: Readonly<Record<string, Described>> = {
  'If-Match': { description: 'Only this version, by its ETag; otherwise 412.', schema: { type: 'string' } },
  'If-None-Match': { description: 'Only another version, by its ETag; otherwise 304.', schema: { type: 'string' } },
  'If-Modified-Since': { description: 'Only a later version; otherwise 304.', schema: { type: 'string' } },
  'If-Unmodified-Since': { description: 'Only an earlier version; otherwise 412.', schema: { type: 'string' } },
};

const RANGES: Readonly<Record<string, Described>> = {
  Range: { description: 'Only these bytes, one range: `bytes=0-99`.', schema: { type: 'string' } },
  'If-Range': { description: 'All bytes if it has another version by now.', schema: { type: 'string' } },
};

/** All parameters of a route, without the body. */
export function parametersOf({ path, operation }: Route, schemas: OpenApiSchemas): readonly Parameter[] {
  const { query, headers: own = [], isConditional = false, hasRanges = false } = operation;
  const headers = { ...ownHeaders(own), ...(isConditional && CONDITIONS), ...(hasRanges && RANGES) };
  return [
    ...namesInPath(path).map((name) => ({ name, in: 'path' as const, required: true, ...inPath(name) })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => {
      const { description, ...rest } = schemas.schemaOf(schema, 'input') as JsonSchema & { description?: string };
      return {
        name,
        in: 'query' as const,
        required: !schema.safeParse(undefined).success,
        ...(description !== undefined && { description }),
        schema: rest,
      };
    }),
    ...Object.entries(headers).map(([name, described]) => ({
      name,
      in: 'header' as const,
      required: false,
      ...described,
    })),
  ];
}

function ownHeaders(names: readonly RequestHeader[]): Readonly<Record<string, Described>> {
  return Object.fromEntries(names.map((name) => [name, { ...REQUEST_HEADERS[name], schema: { type: 'string' } }]));
}

/** `/sets/{set}/resources/{path}` of the express path `/sets/:set/resources/*path`. */
export function pathTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

function namesInPath(path: string): string[] {
  return [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!);
}

function inPath(name: string): Described {
  const described = IN_PATH[name];
  if (described === undefined) throw new Error(`openapi-parameters.ts does not say what "${name}" in a path means`);
  return described;
}
