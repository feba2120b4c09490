import type { CollectionView } from '../../../api/collection-view.ts';
import type { HarvestView } from '../../../api/harvest-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Frame } from '../parts/frame.ts';
import { html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { sparklineDrawing } from '../parts/sparkline-drawing.ts';
import { stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';
import type { Sparkline } from '../sparklines.ts';
import { collectionTitle } from './collection-frame.ts';
import { AGAIN, harvestState, isOpen } from './harvest-parts.ts';

interface ListedCollection {
  readonly view: CollectionView;
  readonly last: HarvestView | undefined;
  /** Live records; undefined before it has a set. */
  readonly records: number | undefined;
  /** Changes of its set in the last days; undefined when they were not counted in time. */
  readonly changes: Sparkline | undefined;
}

interface CollectionsPage {
  readonly frame: Frame;
  readonly collections: readonly ListedCollection[];
}

/** The collections that the reader may read. */
export function renderCollectionsPage({ frame, collections }: CollectionsPage): string {
  const { isAdministrator } = frame.viewer;
  const main = html`<h1>Collections</h1>
<p class="lead">What is harvested here from OAI-PMH repositories. Of each, the records are published as a set, and the answers of the repository as they came.</p>
${
  collections.length === 0
    ? html`<div class="notice"><p>There is no collection ${isAdministrator ? html`yet. <a href="../add-collection">Add one</a>, or run <code>tidemark collections add ID --base-url URL --format oai_dc</code>.` : 'that you may read.'}</p></div>`
    : stackingTable('Collections', collections, [
        {
          name: 'Collection',
          style: 'name title',
          isHead: true,
          cell: ({ view }) =>
            html`<a href="./${view.collection}/">${collectionTitle(view)}</a> ${view.title !== undefined && html`<span class="id">${view.collection}</span>`}<span class="more-of">${view.baseUrl}, ${view.format}</span>`,
        },
        {
          name: 'Last harvest',
          style: 'short',
          cell: ({ last }) => (last === undefined ? 'none yet' : harvestState(last)),
        },
        {
          name: 'When',
          style: 'short',
          cell: ({ last }) => timeOf(last?.ended ?? last?.started ?? last?.added, frame.now),
        },
        { name: 'Records', style: 'number', cell: ({ records }) => records !== undefined && formatCount(records) },
        { name: 'Last 30 days', style: 'short wide', cell: ({ changes }) => changes && sparklineDrawing(changes) },
        { name: 'Next', style: 'short', cell: ({ view }) => timeOf(view.next, frame.now) ?? 'when asked for' },
      ])
}
${isAdministrator && collections.length > 0 && html`<p class="more"><a href="../add-collection">Add a collection</a></p>`}`;
  const isUnderWay = collections.some(({ last }) => last !== undefined && isOpen(last));
  return renderPage({ frame, title: 'Collections', main, part: 'collections', again: isUnderWay ? AGAIN : undefined });
}
