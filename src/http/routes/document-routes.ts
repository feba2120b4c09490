import type { Request, Response } from 'express';
import { boundaryAfter, boundaryBefore, formatStamp } from '../../core/stamp.ts';
import {
  DOCUMENT_KINDS,
  DOCUMENTS,
  type DocumentKey,
  type DocumentKind,
  documentKey,
  documentUri,
} from '../../publish/documents.ts';
import type { PublishedDocument } from '../../publish/published-document.ts';
import { type DocumentQuery, sendDocumentPage, wantsPage } from '../pages/documents/document-view.ts';
import type { RoutedResponse } from '../request/admitted.ts';
import { type DirectHandler, get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendDocument } from '../response/send-document.ts';
import { shownSets } from '../response/shown-sets.ts';
import { documentOperation, rangeOperation } from './document-operations.ts';

/** The documents of ResourceSync: a route for each row of their table. */
export function documentRoutes(app: ServedApp): readonly Route[] {
  const { publisher, configuration } = app;
  const { idleTimeout, baseUrl } = configuration;

  async function find(key: DocumentKey, response: RoutedResponse): Promise<PublishedDocument> {
    if ('set' in key) return publisher.setDocument(key);
    return publisher.sourceDocument(key, await shownSets(app, response));
  }

  /** Sends XML, or to a browser a page that is made from it. */
  async function answer(kind: DocumentKind, request: Request, response: Response, query: DocumentQuery): Promise<void> {
    const key = documentKey(kind, { ...request.params, range: rangeOf(query) });
    const document = await find(key, response);
    const next = document.next === undefined ? undefined : nextUri(key, formatStamp(document.next), query);
    if (next !== undefined) response.append('Link', `<${next}>; rel="next"`);
    if (wantsPage(request, query)) await sendDocumentPage(app, { request, response, query }, { kind, document, next });
    else await sendDocument(request, response, { document, idleTimeout });
  }

  /** Where the changes go on that a document had no room for. */
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
    const direct: DirectHandler = async (request, response) => {
      const document = await find(documentKey(kind, request.params), response);
      await sendDocument(request, response, { document, idleTimeout });
    };
    return 'takesRange' in DOCUMENTS[kind]
      ? get(path, { action, operation: rangeOperation(kind), handle, direct })
      : get(path, { action, operation: documentOperation(kind), handle, direct });
  });
}

/** The boundaries of the time that was asked for, if one was. */
function rangeOf({ from, until }: DocumentQuery) {
  if (from === undefined && until === undefined) return undefined;
  return { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
}
