import { harvestView } from '../../../api/harvest-run-view.ts';
import { collectionOf } from '../../request/admitted.ts';
import { get, post, type Route } from '../../request/route.ts';
import { harvestOf, queueHarvest } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendPage } from '../parts/send-page.ts';
import { collectionFrameOf } from './collection-frame.ts';
import { AGAIN, HARVEST, HARVEST_NOW } from './collection-page-operations.ts';
import { renderHarvestPage } from './harvest-page.ts';

const AT = '/collections/:collection/harvests';
const ERRORS_PER_PAGE = 50;

/** The pages of harvests, and the buttons that add one. */
export function harvestPageRoutes(app: ServedApp): readonly Route[] {
  const { harvestRuns } = app.records;
  return [
    post(AT, {
      action: 'administer',
      ...HARVEST_NOW,
      async handle(_request, response, { kind, drop }) {
        const { number } = await queueHarvest(app, response, { kind, ...(drop && { force: true }) });
        response.redirect(303, `./harvests/${number}/`);
      },
    }),

    get(`${AT}/:number/`, {
      action: 'read-organization',
      ...HARVEST,
      async handle(request, response, { errors: at = 0 }) {
        const run = await harvestOf(app, request, response);
        const harvest = harvestView(run, collectionOf(response).provider);
        const [frame, errata] = await Promise.all([
          collectionFrameOf(app, request, response),
          harvestRuns.errata(run, { at, limit: ERRORS_PER_PAGE }),
        ]);
        sendPage(response, renderHarvestPage({ ...frame, harvest, errata, at }));
      },
    }),

    post(`${AT}/:number/again`, {
      action: 'administer',
      ...AGAIN,
      async handle(request, response) {
        const { number: of } = await harvestOf(app, request, response);
        const { number } = await queueHarvest(app, response, { kind: 'again', of });
        response.redirect(303, `../${number}/`);
      },
    }),
  ];
}
