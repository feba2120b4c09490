import { defineJob } from '../job-definition.ts';
import { every } from '../schedule.ts';

const TEN_MINUTES_MS = 600_000;

/** Takes trigger files and dbInsert files from NSDL's folders. */
export const lookAtNsdl = defineJob({
  kind: 'look-at-nsdl',
  retry: { attempts: 3, firstMs: 5_000, longestMs: 60_000 },
  oneAtATimePer: () => 'nsdl',

  schedules: ({ nsdl }) => (nsdl === undefined ? [] : [{ schedule: every(TEN_MINUTES_MS), payload: {} }]),

  async run(_payload, { nsdl }) {
    const { triggers = [], pieces = [], dispatched = 0 } = (await nsdl?.look()) ?? {};
    return { triggers: triggers.length, harvests: pieces.length, dispatched };
  },
});
