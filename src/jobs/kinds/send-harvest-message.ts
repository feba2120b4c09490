import { hasMessageToSend } from '../../records/collections/harvest-messages.ts';
import type { NamedHarvest } from '../../records/collections/harvest-run.ts';
import type { NewJob } from '../../stores/job.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { defineJob, jobOf } from '../job-definition.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
const MOST_DOUBLINGS = 10;

/** Sends the message of a harvest that has ended, until it is accepted. */
export const sendHarvestMessage = defineJob<NamedHarvest>({
  kind: 'send-harvest-message',
  retry: { attempts: 20, firstMs: FIRST_MS, longestMs: LONGEST_MS },
  waitsAfterConflict: true,
  oneAtATimePer: ({ collection, number }) => `${collection}/${number}`,

  async run(name, { records: { harvestMessages } }, { signal }) {
    const run = await harvestMessages.send(name, signal);
    const { attempts = 0, problem } = run.message ?? {};
    if (!hasMessageToSend(run)) return { attempts };
    const againMs = Math.min(FIRST_MS * 2 ** Math.min(attempts, MOST_DOUBLINGS), LONGEST_MS);
    throw new JobWaits(`the message has to be accepted: ${problem ?? 'it was not answered'}`, { againMs });
  },
});

/** The id is the same for each call, so that a message has only one job. */
export function jobOfMessage({ collection, number }: NamedHarvest): NewJob {
  return jobOf(sendHarvestMessage, { id: [collection, number].join('~'), payload: { collection, number } });
}
