import { FlippedStore } from '../support/byte-flips.ts';
import { closeFaultSources } from '../support/fault-source.ts';
import { randomOf } from '../support/marc-records.ts';

const RESOURCES = 1_000_000;
const FLIPS = 8;

describe('bits that are flipped in a large tidemark.db', function () {
  this.timeout(3_600_000);
  afterEach(closeFaultSources);

  it('are refused, or found by verify when documents differ', async () => {
    const store = await FlippedStore.make(RESOURCES);
    await store.requireFound(FLIPS, randomOf(48));
  });
});
