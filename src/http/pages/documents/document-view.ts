import type { Request, Response } from 'express';
import { TidemarkError } from '../../../core/errors.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { DocumentKind } from '../../../publish/documents.ts';
import type { PublishedDocument } from '../../../publish/published-document.ts';
import { setOf } from '../../request/admitted.ts';
import { prefersPage } from '../../request/prefers-page.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from '../parts/frame.ts';
import { pagingOf } from '../parts/pager.ts';
import { sendPage } from '../parts/send-page.ts';
import { renderDocumentPage } from './document-page.ts';

const ENTRIES_PER_PAGE = 100;

/** The query of a request for a document. */
export interface DocumentQuery {
  readonly format?: string | undefined;
  readonly page: number;
  readonly from?: Stamp | undefined;
  readonly until?: Stamp | undefined;
}

/** Whether to respond with a web page: browsers prefer one, unless the address contains `format=xml`. */
export function wantsPage(request: Request, { format }: DocumentQuery): boolean {
  return format !== 'xml' && prefersPage(request.headers.accept);
}

interface ViewedDocument {
  readonly kind: DocumentKind;
  readonly document: PublishedDocument;
  /** The address where the changes continue that the document had no room for. */
  readonly next?: string | undefined;
}

/** Sends a web page of a document's entries, read from its published bytes. */
export async function sendDocumentPage(
  app: ServedApp,
  { request, response, query }: { request: Request; response: Response; query: DocumentQuery },
  { kind, document, next }: ViewedDocument,
): Promise<void> {
  let page = query.page;
  let slice = await sliceOf(document, page);
  const paging = pagingOf(page, slice.total, ENTRIES_PER_PAGE);
  if (paging.page !== page) {
    page = paging.page;
    slice = await sliceOf(document, page);
  }
  const frame = await frameOf(app, request, response);
  const set = request.params.set === undefined ? undefined : setOf(response);
  const { from, until } = request.query;
  const kept = { from: textOf(from), until: textOf(until) };
  const length = document.lengths.identity;
  response.vary('Accept');
  sendPage(response, renderDocumentPage({ kind, frame, set, slice, paging, length, query: kept, next }));
}

async function sliceOf(document: PublishedDocument, page: number) {
  // Harvesters never request a page: the XML parser is loaded only for browsers.
  const { readSlice } = await import('./document-slice.ts');
  const body = await document.open('identity');
  try {
    return await readSlice(body, { start: (page - 1) * ENTRIES_PER_PAGE, most: ENTRIES_PER_PAGE });
  } catch (error) {
    throw new TidemarkError('unavailable', 'the document could not be read: ask again', {}, error);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
