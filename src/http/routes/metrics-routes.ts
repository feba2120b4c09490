import { type Action, may } from '../../access/may.ts';
import { type LiveStatus, liveStatus, liveStatusSchema } from '../../api/live-status.ts';
import { storeFileDigest } from '../../api/store-digest.ts';
import { VERSION } from '../../config/version.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { senderOf } from '../request/admitted.ts';
import { json, NO_PARAMETERS } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { setCaching } from '../response/caching.ts';
import { sendJson } from '../response/send-json.ts';
import { shownFigures } from '../response/shown-figures.ts';

/** Read by those who may read every private organization, with or without readers. */
const ANY_PRIVATE = { slug: '', private: true };

const FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/** Milliseconds. */
const STORE_TIMEOUT_MS = 2_000;

/** The state of the server, for senders whose token permits it; for all clients if the settings permit that. */
export function metricsRoutes(app: ServedApp): readonly Route[] {
  const { metrics, configuration } = app;
  const { baseUrl, publicMetrics } = configuration;
  const action: Action = publicMetrics ? 'probe' : 'read-metrics';
  return [
    get('/metrics', {
      action,
      id: 'getMetrics',
      tag: 'operating',
      summary: 'Metrics in the exposition format of Prometheus',
      description:
        'The HELP line of each says what it means. Labels name organizations, 1,000 at most, and private ones to those alone who may read all of them; none grows with sets, tokens or resources.',
      answers: [{ status: 200, description: 'The metrics.', content: { 'text/plain': 'text' } }],
      async handle(_request, response) {
        const text = await metrics.text(may(senderOf(response), 'read-organization', ANY_PRIVATE));
        setCaching(response, 'no-store');
        // Uses setHeader, because express would change the type.
        response.setHeader('Content-Type', FORMAT).end(text);
      },
    }),

    get('/api/status', {
      action,
      id: 'getStatus',
      tag: 'operating',
      summary: 'The status of the server, in figures',
      description: 'What `tidemark status` shows of a running server. Rates are those of the last minute.',
      query: NO_PARAMETERS,
      answers: [json(liveStatusSchema, 'The figures.')],
      async handle(_request, response) {
        const [figures, storeFile, indices] = await Promise.all([
          shownFigures(app, response),
          storeFileDigest(configuration),
          indicesOf(app),
        ]);
        sendJson(response, liveStatus(figures, { baseUrl, version: VERSION, storeFile, ...indices }));
      },
    }),
  ];
}

/** Absent for a store in a file, and when the store does not answer in time. */
async function indicesOf({ gauge }: ServedApp): Promise<Pick<LiveStatus, 'indices'>> {
  const listed = await withTimeout(gauge.indices(), STORE_TIMEOUT_MS, () => []).catch(() => []);
  return listed.length === 0 ? {} : { indices: [...listed] };
}
