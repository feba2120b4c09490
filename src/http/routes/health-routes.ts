import * as z from 'zod';
import { storeDigest } from '../../api/store-digest.ts';
import { TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { json } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { shownSets } from '../response/shown-sets.ts';

const healthSchema = z
  .strictObject({
    status: z.enum(['ok', 'ready']),
    store: z
      .string()
      .optional()
      .describe('Of a server that shares its port, at `/healthz`: the same for all servers of one store.'),
    artifactStore: z
      .enum(['unavailable'])
      .optional()
      .describe('At `/readyz`: the artifact store does not answer. Lists and posting need it not.'),
  })
  .meta({ id: 'Health' });

/** Number of sets that the message of a response names. */
const NAMED = 10;

/** Seconds after which a store counts as one that does not answer: a probe waits for a few seconds only. */
const STORE_TIMEOUT = 4;

/** Health checks for the tools of operators. */
export function healthRoutes({ index, sets, configuration, artifactHealth }: ServedApp): readonly Route[] {
  const alive = { status: 'ok', ...(configuration.sharePort && { store: storeDigest(configuration) }) };
  return [
    get('/healthz', {
      action: 'probe',
      id: 'isAlive',
      tag: 'operating',
      summary: 'Whether the process is alive',
      answers: [json(healthSchema, 'It is.')],
      handle: (_request, response) => sendJson(response, alive),
    }),

    get('/readyz', {
      action: 'probe',
      id: 'isReady',
      tag: 'operating',
      summary: 'Whether the store answers, and the first scan of every set that is not private is complete',
      description:
        'Otherwise the answer is 503; `scanning` has the sets that are not complete. It stays 200 without the artifact store.',
      answers: [json(healthSchema, 'Both are so.')],
      async handle(_request, response) {
        const read = async () => {
          await index.watermark();
          return shownSets({ sets }, response);
        };
        const [shown, problem] = await Promise.all([
          withTimeout(read(), STORE_TIMEOUT * 1000, noAnswer),
          artifactHealth.problem(),
        ]);
        const scanning = shown.filter(({ ready }) => !ready).map(({ slug }) => slug);
        // Lists are served and changes are taken without it, so the server stays in service.
        const artifactStore = problem === undefined ? {} : { artifactStore: 'unavailable' };
        if (scanning.length === 0) return sendJson(response, { status: 'ready', ...artifactStore });
        const more = scanning.length - NAMED;
        const names = scanning.slice(0, NAMED).join(', ');
        const message = `the first scan of ${names}${more > 0 ? ` and ${more} more` : ''} is not complete`;
        response.set('Retry-After', '2');
        sendJson(response, { error: { code: 'not-ready', message, scanning: scanning.slice(0, 1000) } }, 503);
      },
    }),
  ];
}

function noAnswer(): never {
  throw new TidemarkError('unavailable', `the store has not answered within ${STORE_TIMEOUT} seconds`);
}
