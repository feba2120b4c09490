/** Headers of answers beyond what HTTP requires, and what they mean. */
export const ANSWER_HEADERS = {
  Allow: 'The methods that the path has.',
  'Content-Range': 'Which bytes of the whole these are.',
  ETag: 'The version of the body. Send it as If-None-Match to learn whether there is another.',
  'Last-Modified': 'When the newest part of the body changed.',
  Link: 'Where more is: `rel="next"`, the following part; `rel="resourcesync"`, the Capability List of a resource; `rel="describes"`, that of the set that a page is about; `rel="original"`, `rel="timegate"` and `rel="timemap"`, the resource of a version, and where its other versions are.',
  Location: 'Where it is instead.',
  'Memento-Datetime': 'When the version began (RFC 7089).',
  'Retry-After': 'Seconds after which to ask again.',
  'Set-Cookie': 'The session of a browser.',
  'WWW-Authenticate': 'How to send a token.',
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;
