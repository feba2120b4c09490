import { expireStreams } from '../../records/removal/expire-streams.ts';
import { removeOriginals } from '../../records/removal/remove-originals.ts';
import { removeReplaced } from '../../records/removal/remove-replaced.ts';
import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/**
 * Ends removals of streams and organizations that were begun, and removes what is kept no longer: streams that have
 * expired, files of uploads, and records that a full upload has replaced.
 */
export const cleanUpStreams = defineJob({
  kind: 'clean-up-streams',
  oneAtATimePer: () => 'streams',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('55 4 * * *', timeZone), payload: {} }],

  async run(_payload, { configuration, records, catalog, index, sets, artifacts }, { signal, log }) {
    const { streamRemovals, organizations } = records;
    const parts = { catalog, index, sets, artifacts, organizations, streamRemovals };
    const removed = await streamRemovals.endAll(signal);
    for (const name of removed) log(`removed ${name}`);
    const expired = await expireStreams(parts, { unusedMs: configuration.expireStreamsMs, signal });
    for (const name of expired) log(`removed the stream ${name}, which has expired`);
    const originals = await removeOriginals(parts, { keptMs: configuration.keepOriginalsMs, signal });
    const replaced = await removeReplaced(parts, { signal });
    return { removed, expired, originals, replaced };
  },
});
