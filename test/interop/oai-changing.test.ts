import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { AppliedUploads } from '../support/applied-uploads.ts';
import { DUMPED, DumpedStream, numbersTo } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { itWithOaiPrograms, OAI_CLIENTS, type ReadRecord, readOneList } from '../support/oai-programs.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';

const RECORDS = 3_000;
/** Records that are changed at once, four times a second: 1,000 changes a second. */
const AT_ONCE = 250;
const INTERVAL_MS = 250;
/** A list ends when its client is faster than the changes: a slow client must come to its end, too. */
const LONGEST_MS = 6_000;

describe('OAI-PMH lists that change while others read them', () => {
  let started: StartedApp;
  let uploads: AppliedUploads;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    await DumpedStream.make(started.app);
    uploads = new AppliedUploads(started.app, { ...DUMPED, folder: started.folder, eventsPerCommit: 50 });
    await put(numbersTo(RECORDS), 0);
  });
  afterEach(closeApps);

  itWithOaiPrograms('miss no record, and what they miss of its changes comes in the next list', async () => {
    const list = { url: `${started.url}/oai/lane--main`, prefix: 'marc21' };
    const begin = secondOf(Date.now());
    const stop = new AbortController();
    const changing = change(stop.signal);
    const read = Promise.all(OAI_CLIENTS.map((client) => readOneList(client, list)));
    await Promise.race([read, wait(LONGEST_MS)]).finally(() => stop.abort());
    const changes = await changing;
    const lists = await read;
    assert.ok(changes > 2 * AT_ONCE, String(changes));

    const now = await readOneList('sickle', list);
    const expected = stateOf(now);
    for (const [at, client] of OAI_CLIENTS.entries()) {
      const state = stateOf(lists[at]!);
      const missing = numbersTo(RECORDS).filter((number) => !mayBeDeleted(number) && !state.has(idOf(number)));
      assert.deepEqual(missing, [], `${client} has missed records`);
      for (const number of numbersTo(RECORDS).filter(isQuiet)) {
        const id = idOf(number);
        assert.equal(state.get(id), expected.get(id), `${client}: ${id}`);
      }
      const next = await readOneList(client, { ...list, from: begin });
      assert.deepEqual(stateOf([...lists[at]!, ...next]), expected, client);
    }
  });

  /** Changes and deletes records until the signal. Returns how many times. */
  async function change(signal: AbortSignal): Promise<number> {
    const others = numbersTo(RECORDS).filter((number) => !isQuiet(number));
    let changes = 0;
    for (let version = 1; !signal.aborted; version++) {
      const begun = performance.now();
      const first = (version * AT_ONCE) % others.length;
      const numbers = [...others.slice(first), ...others].slice(0, AT_ONCE);
      const deleted = numbers.filter((number) => mayBeDeleted(number) && (number + version) % 2 === 0);
      await put(numbers, version, deleted);
      changes += numbers.length;
      await wait(Math.max(0, INTERVAL_MS - (performance.now() - begun)));
    }
    return changes;
  }

  async function put(numbers: readonly number[], version: number, deleted: readonly number[] = []): Promise<void> {
    const documentOf = (number: number) =>
      deleted.includes(number) ? undefined : marc(idOf(number), `Version ${version}: ${'x'.repeat(400)}`);
    await uploads.apply(new Map(numbers.map((number) => [idOf(number), documentOf(number)])));
  }
});

const idOf = (number: number): string => `r${number}`;
/** A third of the records never changes, a third changes, and a third is deleted at times. */
const isQuiet = (number: number): boolean => number % 3 === 0;
const mayBeDeleted = (number: number): boolean => number % 3 === 2;

/** What a client keeps that applies a list from its beginning to its end: contents by id of the record. */
function stateOf(list: readonly ReadRecord[]): ReadonlyMap<string, string | null> {
  const state = new Map<string, string | null>();
  for (const { id, content, deleted } of list) {
    const name = id.replace(/^.*[:/]/, '');
    if (deleted) state.delete(name);
    else state.set(name, content);
  }
  return new Map([...state].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function secondOf(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace('.000', '');
}
