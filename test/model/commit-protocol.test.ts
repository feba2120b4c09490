import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { checkModel, type Instance, plantedMistakes } from '../../scripts/model/check-model.ts';
import { itNeeding } from '../support/it-needing.ts';

/** What finds each mistake that is planted in model/commit-protocol.pml, and what its counterexample ends with. */
const FOUND: Readonly<Record<string, readonly [Instance, RegExp]>> = {
  NO_FENCE: ['larger-segments', /number \d is used twice/],
  FREED_NUMBER: ['larger-applying', /number \d is used twice|does not see commit/],
  ACKNOWLEDGED_EARLY: ['larger-applying', /event 1 is acknowledged, and not in the log/],
  NEW_UUID: ['larger-segments', /the event is in the log already/],
  NO_CONFIRMATION: ['larger-applying', /commit \d was acknowledged/],
  NO_CHECK: ['larger-applying', /acknowledged as unchanged, and the state is another/],
  DOCUMENTS_FIRST: ['larger-applying', /decided against the state after commit|the event is in the log already/],
  NO_VERSION: ['larger-applying', /the state of the key is not that after commit/],
  LEDGER_ALONE: ['crashes', /the event is in the log already/],
  POINTER_SKIPS: ['larger-applying', /below the watermark, and a search does not find it/],
  NO_WAIT: ['larger-applying', /below the watermark, and a search does not find it/],
  NO_REFRESH: ['larger-applying', /below the watermark, and a search does not find it/],
  ABOVE_WATERMARK: ['out-of-order', /below the watermark, and a search does not find it/],
  EARLIER_READ: ['larger-applying', /a reader does not see commit/],
  REMOVED_UNARCHIVED: ['larger-segments', /is lost: it is not archived/],
  NAME_FREED: ['larger-segments', /segment \d has ended|is used twice|is behind a hole/],
  WRITTEN_TO_NEWEST: ['larger-segments', /segment \d has ended, or is not begun|used twice/],
  POINTER_WITHOUT_SEGMENT: ['segments', /does not see commit|segment \d has ended|pointer_segment/],
  SEALED_AGAIN: ['larger-segments', /goes on in segment \d, which does not exist/],
  SEALED_TOO_EARLY: ['larger-segments', /goes on in segment 2, which does not exist/],
  REMOVED_IS_LOST: ['larger-segments', /the event is in the log already/],
  TAKEN_UNCONFIRMED: ['larger-applying', /./],
  READ_FROM_OLD_COPY: ['larger-applying', /./],
};

const lacking = ['spin', 'gcc'].find((command) => spawnSync(command, ['--version']).error !== undefined);
const need = { name: lacking ?? '', missing: lacking && `${lacking} is missing` };

describe('the model of the protocol of the log', () => {
  for (const instance of ['applying', 'out-of-order', 'failover', 'segments', 'crashes'] as const) {
    itNeeding(need, `has every property in every state: ${instance}`, async () => {
      const { states, counterexample } = await checkModel(instance);
      assert.deepEqual(counterexample, undefined);
      assert.ok(states > 10_000, `${states} states`);
    });
  }

  itNeeding(need, 'has a test for each planted mistake', async () => {
    assert.deepEqual(Object.keys(FOUND).toSorted(), (await plantedMistakes()).toSorted());
  });

  for (const [mistake, [instance, message]] of Object.entries(FOUND)) {
    itNeeding(need, `finds ${mistake}`, async () => {
      const { counterexample } = await checkModel(instance, mistake);
      assert.match(counterexample?.at(-1) ?? 'nothing was found', message);
    });
  }
});
