import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sessions } from '../../../src/access/sessions.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';

const TOKEN = 'a token of the environment';

describe('sessions of browsers', () => {
  const trueNow = Date.now;
  let folder: string;
  let stores: Stores;
  /** Of two servers. */
  let sessions: Sessions;
  let others: Sessions;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    stores = await openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') });
    [sessions, others] = [new Sessions(stores.catalog), new Sessions(stores.catalog)];
  });
  afterEach(async () => {
    Date.now = trueNow;
    await stores.close();
    await rm(folder, { recursive: true });
  });

  async function begin(at: Sessions): Promise<string> {
    const { name, value } = await at.begin(TOKEN);
    return `${name}=${value}`;
  }
  function setClock(secondsAhead: number): void {
    Date.now = () => trueNow() + secondsAhead * 1000;
  }

  it('end when a person signs out, also those of a server whose clock is ahead', async () => {
    setClock(30);
    const cookie = await begin(others);
    setClock(0);
    assert.equal(await sessions.tokenOf(cookie), TOKEN);
    await sessions.end(TOKEN);
    assert.equal(await sessions.tokenOf(cookie), undefined);
    assert.equal(await sessions.tokenOf(await begin(sessions)), TOKEN);
  });

  it('stay ended when a server whose clock is behind ends them again', async () => {
    setClock(100);
    const cookie = await begin(others);
    await others.end(TOKEN);
    setClock(0);
    await sessions.end(TOKEN);
    assert.equal(await sessions.tokenOf(cookie), undefined);
  });
});
