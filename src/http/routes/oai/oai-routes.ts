import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { XML_DECLARATION } from '../../../oai/answers.ts';
import type { RequestArguments } from '../../../oai/parse-request.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import { FORM_BODY, readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { cachingHeaders } from '../../response/caching.ts';
import { negotiateEncoding } from '../../response/negotiate-encoding.ts';
import { openToScripts } from '../../response/open-to-scripts.ts';
import { sendAnswer } from '../../response/send-answer.ts';
import { shownOrganizations } from '../../response/shown-organizations.ts';
import { XML_POLICY } from '../../response/xml-policy.ts';
import { sendWhileMade } from './send-while-made.ts';
import { STYLESHEET } from './stylesheet.ts';

/** OAI-PMH 2.0, 3.1.2.1. */
const TEXT_XML = 'text/xml; charset=utf-8';
/** The style sheet counts as a script. */
const POLICY = `${XML_POLICY}; script-src 'self'`;
/** A list is compressed while the client waits for it. */
const FAST = { level: constants.Z_BEST_SPEED };

const DESCRIPTION =
  'The arguments are those of the protocol: `verb`, `identifier`, `metadataPrefix`, `from`, `until`, `set`, `resumptionToken`. Errors of the protocol are answers with the status 200. See `docs/harvests.md`.';
const ANSWERS = [
  { status: 200, description: 'The answer, or errors of the protocol.', content: { 'text/xml': 'text' } },
] as const;

const REPOSITORIES = [
  {
    path: '/oai',
    id: 'oaiOfAll',
    action: 'read-source',
    summary: 'The records of all organizations as a repository of OAI-PMH 2.0',
    description: `Each organization that the sender may read is a set of it. ${DESCRIPTION}`,
  },
  {
    path: '/oai/:set',
    id: 'oai',
    action: 'read-documents',
    summary: 'A set of records as a repository of OAI-PMH 2.0',
    description: DESCRIPTION,
  },
] as const;

const packed = promisify(gzip);

/** Sets of records as repositories of OAI-PMH. @param stopping ends bodies that are being read when the server stops */
export function oaiRoutes({ oai, records, configuration }: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = configuration;

  function headersOf(response: Response): Readonly<Record<string, string>> {
    const { set } = response.locals;
    // Without a set, the answer has the organizations that the sender may read.
    const isPrivate = set === undefined || set.private === true;
    return {
      'Content-Type': TEXT_XML,
      'Content-Security-Policy': POLICY,
      ...cachingHeaders({ control: 'no-cache', isPrivate, vary: 'Accept-Encoding' }),
      ...openToScripts({ sender: senderOf(response) }, isPrivate),
    };
  }

  async function answerOf(response: Response, given: RequestArguments, signal: AbortSignal): Promise<string> {
    const { set } = response.locals;
    if (set !== undefined) return oai.answer(set, given, signal);
    return oai.answerAll(await shownOrganizations(records.organizations, response), given, signal);
  }

  async function answer(request: Request, response: Response, given: RequestArguments): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const made = answerOf(response, given, left.signal);
    const late = { beginning: XML_DECLARATION, headers: headersOf(response) };
    const text = request.method === 'HEAD' ? await made : await sendWhileMade(response, made, late);
    if (text === undefined) return;
    const encoding = negotiateEncoding(request.headers['accept-encoding']);
    const body = encoding === 'gzip' ? await packed(text, FAST) : Buffer.from(text);
    const headers = {
      ...headersOf(response),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      'Content-Length': String(body.length),
    };
    const sent = request.method === 'HEAD' ? undefined : body;
    await sendAnswer(response, { status: 200, headers, body: sent }, idleTimeoutMs);
  }

  async function sendStatic(request: Request, response: Response): Promise<void> {
    const parts = await oai.staticRepository(setOf(response));
    const isPacked = negotiateEncoding(request.headers['accept-encoding']) === 'gzip';
    response.set({ ...headersOf(response), ...(isPacked && { 'Content-Encoding': 'gzip' }) });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    // A client that reads nothing must not occupy a reader of the store.
    response.setTimeout(idleTimeoutMs, () => response.destroy());
    await (isPacked
      ? pipeline(Readable.from(parts), createGzip(FAST), response)
      : pipeline(Readable.from(parts), response));
  }

  const operation = { action: 'read-documents', tag: 'resources', answers: ANSWERS, isBusyWith503: true } as const;
  return [
    get('/oai.xsl', {
      action: 'read-source',
      id: 'oaiStylesheet',
      tag: 'pages',
      summary: 'The style sheet that shows answers of OAI-PMH to people',
      answers: [{ status: 200, description: 'XSLT 1.0.', content: { 'application/xslt+xml': 'text' } }],
      handle(_request, response) {
        response.set({
          'Content-Type': 'application/xslt+xml; charset=utf-8',
          'Cache-Control': 'public, max-age=3600',
        });
        response.send(STYLESHEET);
      },
    }),
    ...REPOSITORIES.flatMap(({ path, id, action, summary, description }) => [
      get(path, {
        ...operation,
        action,
        id,
        summary,
        description,
        handle: (request, response) => answer(request, response, argumentsIn(request)),
      }),
      post(path, {
        ...operation,
        action,
        id: `${id}ByForm`,
        summary: 'The same, with the arguments as a form',
        body: FORM_BODY,
        async handle(request, response) {
          const form = await readForm(request, { idleTimeoutMs, stopping });
          await answer(request, response, [...argumentsIn(request), ...form]);
        },
      }),
    ]),
    get('/oai/:set/static.xml', {
      ...operation,
      id: 'oaiStatic',
      summary: 'A set of records as one document: a static repository of OAI-PMH',
      description:
        'For sets of at most 5,000 records. Streamed: the connection is cut when something fails on the way.',
      answers: [...ANSWERS, { status: 409, description: 'The set has more records.' }],
      handle: sendStatic,
    }),
  ];
}

/** The arguments in the query, in their order. */
function argumentsIn({ url }: Request): RequestArguments {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start))];
}
