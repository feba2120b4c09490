import type { Request, Response } from 'express';
import { administers } from '../../../access/may.ts';
import { type CollectionView, collectionView } from '../../../api/collection-view.ts';
import { collectionOf, senderOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { type Frame, frameOf } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';

/** The common input of all pages of a collection. */
export interface CollectionFrame {
  readonly frame: Frame;
  readonly collection: CollectionView;
}

export async function collectionFrameOf(
  app: ServedApp,
  request: Request,
  response: Response,
): Promise<CollectionFrame> {
  const reader = { isWhole: administers(senderOf(response)), timeZone: app.configuration.timeZone };
  return {
    frame: await frameOf(app, request, response),
    collection: collectionView(collectionOf(response), reader),
  };
}

interface CollectionMain {
  readonly heading: Html | string;
  /** Title of the browser's window, before that of the collection; absent on its own page. */
  readonly title?: string;
  readonly main: Html;
  readonly again?: number | undefined;
}

/** A page of a collection, with the links to the pages above it. */
export function renderCollectionFrame(
  { frame, collection }: CollectionFrame,
  { heading, title, main, again }: CollectionMain,
): string {
  const home = `${frame.top}collections/`;
  const name = collectionTitle(collection);
  const own = title !== undefined && html`<li><a href="${home}${collection.collection}/">${name}</a></li>`;
  return renderPage({
    frame,
    title: title === undefined ? name : `${title} – ${name}`,
    part: 'collections',
    again,
    main: html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="${home}">Collections</a></li>${own}</ol></nav>
<h1>${heading}</h1>
${main}`,
  });
}

export function collectionTitle({ collection, title }: Pick<CollectionView, 'collection' | 'title'>): string {
  return title ?? collection;
}
