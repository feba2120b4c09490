import type { Request, Response } from 'express';
import type { Principal } from '../../access/principal.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { changeStream } from '../../core/set-uris.ts';
import { boundaryAfter, boundaryBefore, formatStamp } from '../../core/stamp.ts';
import { withWaitBudget } from '../../lib/calls/wait-budget.ts';
import {
  DOCUMENT_KINDS,
  DOCUMENTS,
  type DocumentKey,
  type DocumentKind,
  documentKey,
  documentUri,
} from '../../publish/documents.ts';
import type { PublishedDocument } from '../../publish/published-document.ts';
import { hubUri, topicLinks } from '../../publish/topics.ts';
import { type DocumentQuery, sendDocumentPage, wantsPage } from '../pages/documents/document-view.ts';
import { directRequest, senderOf } from '../request/admitted.ts';
import type { Answer } from '../request/answer.ts';
import type { DirectHandler } from '../request/direct-request.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { answerDocument } from '../response/answer-document.ts';
import { makePrivate } from '../response/caching.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { setsShownTo } from '../response/shown-sets.ts';
import { documentOperation, hasPage, rangeOperation } from './document-operations.ts';

/** Milliseconds that a reader waits for a slow store. Rendering may take longer. */
const STORE_WAIT_MS = 10_000;

interface Found {
  readonly document: PublishedDocument;
  /** Whether the response is only for its sender. */
  readonly isPrivate: boolean;
}

/** The documents of ResourceSync: a route for each row of their table. */
export function documentRoutes(app: ServedApp): readonly Route[] {
  const { publisher } = app.publishing;
  const { configuration } = app;
  const { idleTimeoutMs, baseUrl } = configuration;

  async function find(key: DocumentKey, sender: Principal, set: ResourceSet | undefined): Promise<Found> {
    if ('set' in key) {
      const document = await withWaitBudget(STORE_WAIT_MS, () => publisher.setDocument(key));
      return { document, isPrivate: set?.private === true };
    }
    const { shown, isPrivate } = await setsShownTo(app, sender);
    return { document: await publisher.sourceDocument(key, shown), isPrivate };
  }

  /** Sends XML, or for a browser a page made from it. */
  async function answer(kind: DocumentKind, request: Request, response: Response, query: DocumentQuery): Promise<void> {
    const key = documentKey(kind, { ...request.params, range: rangeOf(query) });
    const found = await find(key, senderOf(response), response.locals.set);
    const { document, isPrivate } = found;
    const next = document.next === undefined ? undefined : nextUri(key, formatStamp(document.next), query);
    const rest = next === undefined ? [] : [`<${next}>; rel="next"`];
    const links = [...rest, linksOf(kind, key)].filter((link) => link !== undefined).join(', ') || undefined;
    if (isPrivate) makePrivate(response);
    if (hasPage(kind) && wantsPage(request, query)) {
      if (links !== undefined) response.append('Link', links);
      await sendDocumentPage(app, { request, response, query }, { kind, document, next });
    } else {
      const answered = withLinks(await answerDocument(directRequest(request, response), found), links);
      await sendAnswer(response, answered, idleTimeoutMs);
    }
  }

  /** A topic links to its hub and itself (WebSub, 4), the Change List to its stream (RFC 5989). */
  function linksOf(kind: DocumentKind, key: DocumentKey): string | undefined {
    const hub = 'isTopic' in DOCUMENTS[kind] ? hubUri(configuration.hub, baseUrl) : undefined;
    if (hub !== undefined) return topicLinks(hub, documentUri(baseUrl, key));
    if (!('hasStream' in DOCUMENTS[kind]) || !('set' in key)) return undefined;
    return `<${changeStream(baseUrl, key.set)}>; rel="monitor"; type="text/event-stream"`;
  }

  /** The address where the changes continue that a document had no room for. */
  function nextUri(key: DocumentKey, from: string, query: DocumentQuery): string {
    const parameters = new URLSearchParams({ from });
    const until = rangeOf(query)?.until;
    if (until !== undefined) parameters.set('until', formatStamp(until));
    return `${documentUri(baseUrl, key)}?${parameters}`;
  }

  return DOCUMENT_KINDS.map((kind) => {
    const { path, of } = DOCUMENTS[kind];
    const action = of === 'source' ? 'read-source' : 'read-documents';
    const handle = (request: Request, response: Response, query: DocumentQuery) =>
      answer(kind, request, response, query);
    const direct: DirectHandler = async (request) => {
      const key = documentKey(kind, request.params);
      const found = await find(key, request.sender, request.set);
      return withLinks(await answerDocument(request, found), linksOf(kind, key));
    };
    return 'takesRange' in DOCUMENTS[kind]
      ? get(path, { action, ...rangeOperation(kind), handle, direct })
      : get(path, { action, ...documentOperation(kind), handle, direct });
  });
}

function withLinks(answer: Answer, links: string | undefined): Answer {
  return links === undefined ? answer : { ...answer, headers: { ...answer.headers, Link: links } };
}

/** The boundaries of the requested period, if any. */
function rangeOf({ from, until }: DocumentQuery) {
  if (from === undefined && until === undefined) return undefined;
  return { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
}
