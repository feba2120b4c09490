/** Response headers beyond what HTTP requires, with their meanings. */
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
  'Tidemark-Upload': 'The stream and the number of the upload that a resumable one has become: `main/17`.',
  'Tus-Extension': 'The extensions of tus that are supported.',
  'Tus-Max-Size': 'Bytes of a file, at most.',
  'Tus-Resumable': 'The version of tus that is spoken: 1.0.0.',
  'Tus-Version': 'The versions of tus that are supported.',
  'Upload-Expires': 'When a resumable upload is removed if nothing more comes.',
  'Upload-Length': 'Bytes of the whole file, when that is known.',
  'Upload-Defer-Length': '`1` until the length is known.',
  'Upload-Metadata': 'The header of the request that began the upload, as it was.',
  'Upload-Offset': 'Bytes that are stored, durably.',
  'WWW-Authenticate': 'How to send a token.',
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Request headers that single operations read, with their meanings; openapi-parameters.ts has those of many. */
export const REQUEST_HEADERS = {
  'Accept-Datetime': {
    description: 'The time of the version, with whole seconds (RFC 7089, 2.1.1). Without it, the latest version.',
    example: 'Mon, 23 Nov 2026 02:00:00 GMT',
  },
  'Last-Event-ID': {
    description: 'The id of the last event that the client has read: the stream goes on after it.',
    example: '2026-11-23T02:00:00.123456Z',
  },
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
