import * as z from 'zod';
import { fieldsOf } from '../../../api/record-versions.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { ResourceKey } from '../../../core/key.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { boundaryAfter, formatStamp, type Stamp } from '../../../core/stamp.ts';
import { setOf } from '../../request/admitted.ts';
import { keyOf } from '../../request/named-resource.ts';
import { pageOperation } from '../../request/operation.ts';
import { time } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendPage } from '../parts/send-page.ts';
import { setFrameOf } from '../parts/set-frame.ts';
import { type RecordVersion, renderRecordPage } from './record-page.ts';

const NOT_READABLE = 'It is no record in a form that can be shown here.';
/** Versions that a reader can choose from. */
const MOST_VERSIONS = 100;

/** The page of a version of a record, and of what differs between two. */
export function recordPageRoute(app: ServedApp): Route {
  const { index } = app;
  return get('/sets/:set/record', {
    action: 'read-resource',
    ...pageOperation('recordPage', 'A record as it was after a change, or what differs between two versions of it'),
    query: z.object({
      key: z.string().optional(),
      uri: z.string().optional(),
      at: time('The time of the change after which the record is shown; without it, the latest one.'),
      from: time('The time of an earlier change: shows what differs.'),
    }),
    async handle(request, response, { at, from, ...named }) {
      const set = setOf(response);
      const key = keyOf(named, set);
      const [version, before, history, frame] = await Promise.all([
        versionOf(app, set, key, at),
        from === undefined ? undefined : versionOf(app, set, key, from),
        index.history(set.id, key, { limit: MOST_VERSIONS }),
        setFrameOf(app, { request, response }, undefined),
      ]);
      sendPage(response, renderRecordPage({ ...frame, version, from: before, history }));
    },
  });
}

/** @throws TidemarkError `not-found` when no change has that time */
async function versionOf(
  app: ServedApp,
  set: ResourceSet,
  key: ResourceKey,
  at: Stamp | undefined,
): Promise<RecordVersion> {
  const before = at === undefined ? undefined : boundaryAfter(at);
  const [change] = await app.index.history(set.id, key, { before, limit: 1 });
  if (change === undefined || (at !== undefined && change.stamp !== at)) {
    const when = at === undefined ? '' : ` of ${formatStamp(at)}`;
    throw new TidemarkError('not-found', `there is no version${when} of ${key}: its page lists those that there are`, {
      key,
    });
  }
  const isDeletion = change.state === undefined;
  return { change, fields: (await fieldsOf(app, set, change)) ?? (isDeletion ? undefined : NOT_READABLE) };
}
