import type { AnswerHeader } from '../request/operation-headers.ts';
import type { Route } from '../request/route.ts';

interface Failure {
  /** Its name among the components. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly AnswerHeader[];
  /** Whether a route may respond in this way. */
  readonly isOf: (route: Route) => boolean;
}

const always = () => true;
const isBelowSetOrPart = ({ path }: Route) =>
  path.includes('/:set') || path.includes('/:org') || path.includes('/:collection') || path.includes('-:part.');
const takesBody = ({ operation }: Route) => operation.body !== undefined;

/** Error responses of routes, by status; error-handler.ts sends them. */
export const FAILURES: Readonly<Record<number, Failure>> = {
  400: {
    name: 'BadRequest',
    description: 'The path, a header, a parameter or the body is wrong: `field` says which, `message` what to do.',
    isOf: always,
  },
  401: {
    name: 'Unauthorized',
    description: 'A token is needed, or the one that was sent is not valid.',
    headers: ['WWW-Authenticate'],
    isOf: always,
  },
  403: {
    name: 'Forbidden',
    description: 'The sender may not do this, the request has another Host, or a page of another origin sent it.',
    isOf: always,
  },
  404: {
    name: 'NotFound',
    description:
      'There is no such set, organization, document or resource; or there is one, and the sender may not know. Of a deleted resource, `Link` leads to the versions that are kept.',
    headers: ['Link'],
    isOf: isBelowSetOrPart,
  },
  408: { name: 'RequestTimeout', description: 'Nothing more of the body came in time.', isOf: takesBody },
  409: {
    name: 'Conflict',
    description:
      'This set takes no posted events: it follows another source, or it keeps versions. The message says what to do.',
    isOf: ({ operation }) => operation.id === 'postChanges',
  },
  410: {
    name: 'Gone',
    description: 'The set was removed; or it was there and will not come back: begin again with the lists of the set.',
    isOf: ({ path }) => path.includes('/:set'),
  },
  412: {
    name: 'PreconditionFailed',
    description: 'It has another version than If-Match or If-Unmodified-Since say.',
    isOf: ({ operation }) => operation.isConditional === true,
  },
  413: { name: 'ContentTooLarge', description: 'The body is too large.', isOf: takesBody },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The Content-Type or Content-Encoding is not understood.',
    isOf: takesBody,
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range begins behind the end.',
    headers: ['Content-Range'],
    isOf: ({ operation }) => operation.hasRanges === true,
  },
  429: {
    name: 'TooManyRequests',
    description: 'The token has used up what it may ask or send for now.',
    headers: ['Retry-After'],
    isOf: always,
  },
  431: { name: 'RequestHeaderFieldsTooLarge', description: 'The head of the request is too large.', isOf: always },
  503: {
    name: 'ServiceUnavailable',
    description: 'It is being made, the store does not answer, or the server is stopping: ask again later.',
    headers: ['Retry-After'],
    isOf: always,
  },
};
