import type { Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { collectionView } from '../../../api/collection-view.ts';
import { type HarvestView, harvestView } from '../../../api/harvest-run-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import type { Collection } from '../../../records/collections/collection.ts';
import { type SummarizedSet, summarize } from '../../../sets/summarized-sets.ts';
import { collectionOf, senderOf } from '../../request/admitted.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { shownCollections } from '../../response/shown-collections.ts';
import { frameOf } from '../parts/frame.ts';
import { sendPage } from '../parts/send-page.ts';
import { seriesOf } from '../set-page.ts';
import { Sparklines } from '../sparklines.ts';
import { collectionFrameOf } from './collection-frame.ts';
import { renderCollectionPage } from './collection-page.ts';
import { COLLECTION, COLLECTIONS } from './collection-page-operations.ts';
import { renderCollectionsPage } from './collections-page.ts';

const HARVESTS_PER_PAGE = 20;
const FIRST_ERRORS = 10;
const SHOWN_DAYS = 30;
/** Number of collections whose last harvest is read at the same time. */
const AT_ONCE = 8;

const DID = { change: 'The collection was changed.' } as const;

/** The pages of collections. */
export function collectionPageRoutes(app: ServedApp): readonly Route[] {
  const { records, index, sets, activity } = app;
  const { harvestRuns } = records;
  const sparklines = new Sparklines(activity);

  /** The sets of a collection that the reader may read: of its records, and of the stored responses. */
  async function setsOf({ id }: Collection, response: Response): Promise<readonly ResourceSet[]> {
    const found = (await sets.list()).filter(({ slug }) => slug === id || slug === `${id}.harvests`);
    return found
      .filter((set) => may(senderOf(response), 'read-state', set))
      .toSorted((one, other) => one.slug.length - other.slug.length);
  }

  async function setsOfAll(collections: readonly Collection[]): Promise<ReadonlyMap<string, SummarizedSet>> {
    const ids = new Set(collections.map(({ id }) => id));
    const found = await summarize(
      index,
      (await sets.list()).filter(({ slug }) => ids.has(slug)),
    );
    return new Map(found.map((one) => [one.set.slug, one]));
  }

  async function lastOf({ id, provider }: Collection) {
    const [last] = await harvestRuns.list(id, { limit: 1 });
    return last && harvestView(last, provider);
  }

  return [
    get('/collections/', {
      action: 'read-source',
      ...COLLECTIONS,
      async handle(request, response) {
        const { timeZone } = app.configuration;
        const isWhole = administers(senderOf(response));
        const shown = await shownCollections(records, response);
        const [frame, found] = await Promise.all([frameOf(app, request, response), setsOfAll(shown)]);
        const lines = await sparklines.of([...found.values()]);
        const last: (HarvestView | undefined)[] = [];
        for await (const one of mapInOrder(shown, AT_ONCE, lastOf)) last.push(one);
        const collections = shown.map((one, at) => {
          const set = found.get(one.id);
          return {
            view: collectionView(one, { isWhole, timeZone }),
            last: last[at],
            records: set?.summary.resources,
            changes: set && lines.get(set.set.id),
          };
        });
        sendPage(response, renderCollectionsPage({ frame, collections }));
      },
    }),

    get('/collections/:collection/', {
      action: 'read-organization',
      ...COLLECTION,
      async handle(request, response, { before, did }) {
        const collection = collectionOf(response);
        const [frame, runs, shown] = await Promise.all([
          collectionFrameOf(app, request, response),
          harvestRuns.list(collection.id, { before, limit: HARVESTS_PER_PAGE }),
          setsOf(collection, response),
        ]);
        const set = shown.find(({ slug }) => slug === collection.id);
        const [newest] = before === undefined ? runs : [];
        const harvests = runs.map((run) => harvestView(run, collection.provider));
        const [errata, days, summary] = await Promise.all([
          newest === undefined
            ? []
            : harvestRuns.errata(newest, { at: 0, limit: FIRST_ERRORS }).then((page) => page.errata),
          set && seriesOf(app, set, { unit: 'day', shown: SHOWN_DAYS }),
          set && index.summary(set.id),
        ]);
        const last = harvests.at(-1)?.number ?? 1;
        const next = harvests.length === HARVESTS_PER_PAGE && last > 1 ? last : undefined;
        const numbers = { records: summary?.resources ?? 0, days: summary?.changes ? days : undefined };
        const page = { ...frame, ...numbers, harvests, before, next, errata, sets: shown, did: did && DID[did] };
        sendPage(response, renderCollectionPage(page));
      },
    }),
  ];
}
