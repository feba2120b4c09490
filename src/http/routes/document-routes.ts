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
import { type DocumentQuery, sendDocumentPage, wantsPage } from '../pages/documents/document-view.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendDocument } from '../response/send-document.ts';
import { shownSets } from '../response/shown-sets.ts';
import { documentOperation, rangeOperation } from './document-operations.ts';

/** The documents of ResourceSync: a route for each row of their table. */
export function documentRoutes(app: ServedApp): readonly Route[] {
  const { publisher, configuration } = app;
  const { idleTimeout, baseUrl } = configuration;

  /** Sends XML, or to a browser a page that is made from it. */
  async function answer(kind: DocumentKind, request: Request, response: Response, query: DocumentQuery): Promise<void> {
    const key = documentKey(kind, { ...request.params, range: rangeOf(query) });
    const document =
      'set' in key
        ? await publisher.setDocument(key)
        : await publisher.sourceDocument(key, await shownSets(app, response));
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
    return 'takesRange' in DOCUMENTS[kind]
      ? get(path, { action, operation: rangeOperation(kind), handle })
      : get(path, { action, operation: documentOperation(kind), handle });
  });
}

/** The boundaries of the time that was asked for, if one was. */
function rangeOf({ from, until }: DocumentQuery) {
  if (from === undefined && until === undefined) return undefined;
  return { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
}
