import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { Consortium, type Notes } from '../support/consortium.ts';
import { SQLITE } from '../support/each-store.ts';
import {
  itWithOaiPrograms,
  OAI_CLIENTS,
  type ReadRecord,
  readAsPodlake,
  readOneList,
} from '../support/oai-programs.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ORGANIZATIONS = ['brown', 'lane', 'yale'] as const;
/** Several pages of all, and some records of two organizations on one page. */
const RECORDS = 900;
/** Records that are deleted of each organization. */
const DELETED = 20;
/** Between two changes. */
const INTERVAL_MS = 200;

describe('The repository of all organizations, as programs that others wrote read it', () => {
  let started: StartedApp;
  let consortium: Consortium;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    consortium = new Consortium(started.app, started.folder);
    for (const id of ORGANIZATIONS) {
      await consortium.add(id);
      await consortium.put(id, notesOf(0, RECORDS, 'first'));
    }
  });
  afterEach(closeApps);

  itWithOaiPrograms('has all records while it changes, with deletions (130)', async () => {
    const list = { url: `${started.url}/oai`, prefix: 'marc21' };
    const from = secondOf(Date.now());
    const stop = new AbortController();
    const changing = change(stop.signal);
    const lists = await Promise.all(OAI_CLIENTS.map((client) => readOneList(client, list)));
    stop.abort();
    assert.ok((await changing) > 2);
    const now = stateOf(await readOneList('sickle', list));
    assert.equal(now.size, 3 * RECORDS - 3 * DELETED);
    for (const [at, client] of OAI_CLIENTS.entries()) {
      const read = lists[at]!;
      for (const id of now.keys()) assert.ok(stateOf(read).has(id), `${client} has missed ${id}`);
      const next = await readOneList(client, { ...list, from });
      assert.deepEqual(stateOf([...read, ...next]), now, client);
      const ofOne = await readOneList(client, { ...list, set: 'lane' });
      assert.deepEqual(stateOf(ofOne), new Map([...now].filter(([id]) => id.includes(':lane/'))), client);
      assert.ok(ofOne.every(({ sets }) => sets.length === 1 && sets[0] === 'lane'));
    }
  });

  itWithOaiPrograms('is read by podlake, with a token for a private organization (130)', async () => {
    await consortium.add('stanford', { isPrivate: true });
    await consortium.put('stanford', notesOf(0, 1_500, 'private'));
    const { token } = await started.app.access.tokens.create({ name: 'podlake', scopes: ['read:*'] });
    const headers = { Authorization: `Bearer ${token}` };
    for (const [contributor, count] of [
      ['Stanford', 1_500],
      ['yale', RECORDS],
    ] as const) {
      const records = await readAsPodlake({ url: `${started.url}/oai`, contributor, headers });
      assert.equal(records.length, count);
      assert.equal(new Set(records.map(({ id }) => id)).size, count);
      assert.ok(records.every(({ content }) => content !== null));
    }
  });

  /** Changes records of one organization after the other until the signal. Returns how many times. */
  async function change(signal: AbortSignal): Promise<number> {
    for (const id of ORGANIZATIONS) {
      await consortium.put(id, { ...notesOf(0, DELETED, undefined), ...notesOf(DELETED, 30, 'changed') });
    }
    let times = ORGANIZATIONS.length;
    for (; !signal.aborted; times++) {
      await wait(INTERVAL_MS);
      await consortium.put(ORGANIZATIONS[times % 3]!, notesOf(100, 120, `version ${times}`));
    }
    return times;
  }
});

function notesOf(from: number, to: number, note: string | undefined): Notes {
  return Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`r${from + at}`, note]));
}

/** What a client keeps that applies a list from its beginning to its end: contents by identifier. */
function stateOf(list: readonly ReadRecord[]): ReadonlyMap<string, string | null> {
  const state = new Map<string, string | null>();
  for (const { id, content, deleted } of list) {
    if (deleted) state.delete(id);
    else state.set(id, content);
  }
  return new Map([...state].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function secondOf(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace('.000', '');
}
