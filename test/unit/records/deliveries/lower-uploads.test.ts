import assert from 'node:assert/strict';
import { join } from 'node:path';
import { putUploadState, type UploadState } from '../../../../src/records/arrivals/upload-state.ts';
import { haveLowerEnded } from '../../../../src/records/deliveries/lower-uploads.ts';
import { openStores, type Stores } from '../../../../src/stores/open-stores.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

const NAME = { organization: 'cornell', stream: 'arxiv' };
const COUNTS = { at: 1, created: 0, updated: 0, deleted: 0, unchanged: 1, superseded: 0 };
const APPLIED: UploadState = { applied: COUNTS };
const FAILED: UploadState = { failure: { at: 1, error: 'it is a PDF', isFinal: true } };
const OPEN: UploadState = { failure: { at: 1, error: 'the store was away', isFinal: false } };

describe('the uploads before a full run', () => {
  const folder = useTempFolder();
  let stores: Stores;

  beforeEach(async () => {
    stores = await openStores({ kind: 'sqlite', file: join(folder.path, 'tidemark.db') });
  });
  afterEach(() => stores.close());

  const put = (number: number, body: UploadState) =>
    putUploadState(stores.catalog, { ...NAME, number }, { body, before: undefined });
  const haveEnded = (number: number) => haveLowerEnded(stores.catalog, { ...NAME, number });

  it('have ended when each was applied, or has failed for good, however many they are', async () => {
    assert.equal(await haveEnded(1), true);
    for (let number = 1; number <= 120; number++) await put(number, number % 2 === 0 ? APPLIED : FAILED);
    assert.equal(await haveEnded(121), true);
    assert.equal(await haveEnded(123), false, 'there is no state of 122');
    await put(121, OPEN);
    assert.equal(await haveEnded(122), false);
    assert.equal(await haveEnded(121), true);
  });

  it('have not ended while the first one has no state', async () => {
    assert.equal(await haveEnded(2), false);
    await put(2, APPLIED);
    assert.equal(await haveEnded(3), false);
  });

  it('are not read when they are before another full run that was applied', async () => {
    await put(2, { applied: { ...COUNTS, unmentioned: 0 } });
    assert.equal(await haveEnded(3), true);
  });
});
