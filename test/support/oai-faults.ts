import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** What an answer is made into; undefined when the fault has answered itself. */
type Damage = (body: string, response: ServerResponse) => string | Buffer | undefined;

const END = '</OAI-PMH>';
const MB = 1024 ** 2;

function status(code: number, headers: Readonly<Record<string, string>> = {}): Damage {
  return (_body, response) => {
    response.writeHead(code, headers).end('no');
    return undefined;
  };
}

function protocolError(code: string): Damage {
  return (body) => {
    const head = body.slice(0, body.indexOf('</request>') + '</request>'.length);
    return `${head}<error code="${code}">said on purpose</error>${END}`;
  };
}

/** Puts something into the metadata of the first record. */
function inMetadata(added: string | Buffer): Damage {
  return (body) => {
    const at = body.indexOf('<dc:title>') + '<dc:title>'.length;
    return Buffer.concat([Buffer.from(body.slice(0, at)), Buffer.from(added), Buffer.from(body.slice(at))]);
  };
}

const withDoctype =
  (doctype: string): Damage =>
  (body) =>
    body.replace('<OAI-PMH', `${doctype}<OAI-PMH`).replace('<dc:title>', '<dc:title>&a;');

const bomb = Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY ${'abcdefghi'[level]} "${'&' + 'bcdefghij'[level] + ';'}">`,
);

const firstHeader = (change: (header: string) => string) => (body: string) =>
  body.replace(/<header.*?<\/header>/s, change);

/** Sends bytes under a length that is not theirs. */
const withLength =
  (lengthOf: (bytes: number) => number): Damage =>
  (body, response) => {
    const bytes = Buffer.from(body);
    response.writeHead(200, { 'content-length': lengthOf(bytes.length), connection: 'close' });
    response.end(bytes);
    return undefined;
  };

/** What a repository may do wrong, by name: a row for each line of the table "What bad input gets". */
const FAULTS = {
  malformed: inMetadata('<open>'),
  'not-utf-8': inMetadata(Buffer.from([0xe4])),
  'control-character': inMetadata('\u0001'),
  'u-fffe': inMetadata('\ufffe'),
  'xml-declaration': (body) => body.replace('<metadata>', '<metadata><?xml version="1.0" encoding="UTF-8"?>'),
  'undeclared-prefix': inMetadata('<x:y/>'),

  doctype: (body) => body.replace('<OAI-PMH', '<!DOCTYPE OAI-PMH><OAI-PMH'),
  'entity-bomb': withDoctype(`<!DOCTYPE OAI-PMH [${bomb.join('')}<!ENTITY j "${'x'.repeat(1000)}">]>`),
  'external-entity': withDoctype('<!DOCTYPE OAI-PMH [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),

  html: () => '<!DOCTYPE html><html><body><p>Service unavailable<br></body></html>',
  empty: () => '',
  'other-root': () => '<?xml version="1.0"?><rss xmlns="http://www.openarchives.org/OAI/2.0/"/>',
  'no-records': (body) => body.replace(/<ListRecords>.*<\/ListRecords>/s, '<ListRecords></ListRecords>'),
  'trailing-text': (body) => `${body}more`,
  'trailing-comment': (body) => `${body}\n<!-- ${END} -->\n`,

  'same-token': (body, { req }) => {
    const token = new URL(req.url!, 'http://x').searchParams.get('resumptionToken');
    return body.replace(/(<resumptionToken[^>]*>)[^<]+/, `$1${token}`);
  },
  'same-records': (body) => body.replace(/(<identifier>)[^<]*/g, '$1oai:example.org:same'),
  'longer-than-said': (body) => body.replace(/completeListSize="\d+"/, 'completeListSize="1"'),
  'shorter-than-said': (body) => body.replace(/completeListSize="\d+"/, 'completeListSize="1000"'),

  'bad-resumption-token': protocolError('badResumptionToken'),
  'bad-argument': protocolError('badArgument'),
  'cannot-disseminate-format': protocolError('cannotDisseminateFormat'),
  'no-set-hierarchy': protocolError('noSetHierarchy'),
  'error-beside-records': (body) => body.replace('<ListRecords>', '<error code="badVerb">but</error><ListRecords>'),

  429: status(429),
  500: status(500),
  502: status(502),
  503: status(503),
  504: status(504),
  'retry-after': status(503, { 'retry-after': '1' }),
  'retry-after-a-day': status(503, { 'retry-after': '86400' }),
  'cut-off': (body, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', connection: 'close' });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
    return undefined;
  },
  /** Without a length, the end of the connection is the end of the answer. */
  'cut-off-silently': (body) => body.slice(0, body.length / 2),
  'too-long-a-length': withLength((bytes) => bytes + 10),
  'too-short-a-length': withLength((bytes) => bytes - 10),
  'broken-gzip': (body, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' });
    response.end(gzipSync(body).subarray(0, -20));
    return undefined;
  },
  'slow-drip': (body, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    let at = 0;
    const timer = setInterval(() => response.write(body[at++] ?? ' '), 20).unref();
    response.on('close', () => clearInterval(timer));
    return undefined;
  },
  silent: (body, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(body.slice(0, 100));
    return undefined;
  },

  'redirect-to-host': status(301, { location: 'http://other.example.org/oai' }),
  'redirect-to-scheme': (_body, response) => {
    response.writeHead(301, { location: `https://${response.req.headers.host}${response.req.url}` }).end();
    return undefined;
  },
  404: status(404),
  403: status(403),

  'huge-answer': (body) => body.replace('<ListRecords>', `<ListRecords>${' '.repeat(2 * MB)}`),
  'huge-record': inMetadata('x'.repeat(17 * MB)),
  'huge-token': (body) => body.replace(/(<resumptionToken[^>]*>)[^<]+/, `$1${'t'.repeat(101_000)}`),

  'future-datestamp': firstHeader((header) => header.replace(/(<datestamp>)\d{4}/, '$12999')),
  'no-datestamp': firstHeader((header) => header.replace(/<datestamp>.*<\/datestamp>/, '')),
  'repeated-identifier': (body) => body.replace(/(<record>.*?<\/record>)/s, '$1$1'),
  'deleted-with-metadata': firstHeader((header) => header.replace('<header>', '<header status="deleted">')),
  'other-set': firstHeader((header) => header.replace(/(<setSpec>)[^<]*/g, '$1another')),
} as const satisfies Readonly<Record<string | number, Damage>>;

export type FaultName = keyof typeof FAULTS;

export interface Fault {
  readonly name: FaultName;
  /** The page of a list that it damages, from 1; 2 by default. */
  readonly page?: number;
  /** How often; always by default. */
  readonly times?: number;
}

/** The answer as the fault has it; undefined when it was sent already. */
export function damaged(name: FaultName, body: string, response: ServerResponse): string | Buffer | undefined {
  return (FAULTS[name] as Damage)(body, response);
}
