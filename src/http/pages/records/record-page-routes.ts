import * as z from 'zod';
import type { Change } from '../../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
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
import { fieldsOf } from './record-versions.ts';

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
  return { change, fields: await readFields(app, set, change) };
}

async function readFields(app: ServedApp, set: ResourceSet, change: Change): Promise<RecordVersion['fields']> {
  const { state } = change;
  if (state === undefined) return undefined;
  try {
    const fields = await fieldsOf(app, set, state);
    return fields ?? 'Of these resources, only the bytes are known, and not their fields.';
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable')) throw error;
    // An artifact that is there can be read again later.
    if ((await app.publishing.versions.among(set, [change])).length > 0) throw error;
    return 'This version is not stored any more.';
  }
}
