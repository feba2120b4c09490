import * as z from 'zod';
import type { Answer, Contents } from '../request/operation.ts';
import type { AnswerHeader } from '../request/operation-headers.ts';
import type { Route } from '../request/route.ts';
import { describeContents, describeHeaders } from './openapi-contents.ts';
import type { DescribedOperation, DescribedResponse } from './openapi-document.ts';
import { FAILURES } from './openapi-failures.ts';
import type { OpenApiSchemas } from './openapi-schemas.ts';

export const errorSchema = z
  .strictObject({
    error: z.looseObject({
      code: z.string().describe('For programs: it stays the same where the message may change.'),
      message: z.string().describe('For people: what is wrong, where, and what to do.'),
      field: z.string().optional().describe('The parameter or field that is wrong.'),
      requestId: z.string().optional().describe('Identifies the request in the logs of the server.'),
    }),
  })
  .meta({ id: 'Error', description: 'Why a request failed. There may be more fields for programs.' });

const VALIDATORS: readonly AnswerHeader[] = ['ETag', 'Last-Modified'];

/** Every response of a route, by status. */
export function responsesOf(route: Route, schemas: OpenApiSchemas): DescribedOperation['responses'] {
  const answers = Object.groupBy(answersOf(route), ({ status }) => status);
  const own = Object.entries(answers).map(([status, some = []]) => [status, describeAnswers(some, schemas)]);
  const failures = Object.entries(FAILURES).filter(([, { isOf }]) => isOf(route));
  const references = failures.map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]);
  return Object.fromEntries([...references, ...own]);
}

/** The responses that many routes share, by their names as components. */
export function sharedResponses(schemas: OpenApiSchemas): Readonly<Record<string, DescribedResponse>> {
  const described = Object.entries(FAILURES).map(([status, { name, description, headers = [] }]) => {
    return [name, describeAnswers([{ status: Number(status), description, headers }], schemas)];
  });
  return Object.fromEntries(described);
}

/** The operation's own responses, and those of conditions and ranges. */
function answersOf({ operation }: Route): readonly Answer[] {
  const { answers, isConditional = false, hasRanges = false } = operation;
  if (!isConditional) return answers;
  const versioned = answers.map((answer) => {
    return answer.status === 200 ? { ...answer, headers: [...VALIDATORS, ...(answer.headers ?? [])] } : answer;
  });
  versioned.push({ status: 304, description: 'The client has this version.', headers: ['ETag'] });
  const whole = versioned.find(({ status }) => status === 200);
  if (!hasRanges || whole === undefined) return versioned;
  const headers: readonly AnswerHeader[] = ['Content-Range', ...(whole.headers ?? [])];
  return [...versioned, { ...whole, status: 206, description: 'The bytes of the range.', headers }];
}

/** Default content of a response: an error is JSON, or HTML outside of the API for a client that prefers it. */
function contentOf(status: number): Contents {
  return status >= 400 ? { 'application/json': errorSchema, 'text/html': 'text' } : {};
}

/** Combines the responses of one status, which may have several media types. */
function describeAnswers(answers: readonly Answer[], schemas: OpenApiSchemas): DescribedResponse {
  const descriptions = new Set(answers.map(({ description }) => description));
  const headers = answers.flatMap((answer) => answer.headers ?? []);
  const contents = Object.assign({}, ...answers.map(({ content, status }) => content ?? contentOf(status)));
  return {
    description: [...descriptions].join(' Or: '),
    ...(headers.length > 0 && { headers: describeHeaders(headers) }),
    ...(Object.keys(contents).length > 0 && { content: describeContents(contents, 'output', schemas) }),
  };
}
