import assert from 'node:assert/strict';
import { appendFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeOnEachStore } from '../support/each-store.ts';
import { itWithReferenceClient, ReferenceClient, type SyncReport } from '../support/reference-client.ts';
import { Workplace } from '../support/workplace.ts';
import { get } from './http.ts';
import { changesOf, headOf, locsOf } from './lists.ts';
import { ODD_NAMES, writeOddFiles } from './odd-names.ts';
import { type PublishedFolder, publishFolder } from './published-folder.ts';
import { contentsOf, copyRealFiles } from './real-files.ts';

const FILES = 1000;
/** Of pages of 10, and windows of 5. */
const IN_PAGES = 100;

describeOnEachStore('the reference client', function (store) {
  // It reads thousands of files, and asks for each.
  this.timeout(600_000);
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });

  afterEach(() => place.close());

  itWithReferenceClient('crosses pages, and windows that roll over between baseline and incremental', async () => {
    const sizes = ['--page-size', '10', '--window-size', '5'];
    const published = await publishFolder(place, (files) => copyRealFiles(files, IN_PAGES), ...sizes);
    const client = new ReferenceClient(published.set, place.folder);
    const list = await get(`${published.set}/resourcelist.xml`);
    assert.ok(locsOf(list.text).length >= 10, 'it has no pages');
    await makeBaseline(client, published, IN_PAGES);

    const windows = async () => locsOf((await get(`${published.set}/changelist.xml`)).text).length;
    const before = await windows();
    await changeFiles(published, IN_PAGES);
    assert.ok((await windows()) > before, 'no window rolled over');
    const recent = { changeList: `${published.set}/changelist-recent.xml`, from: headOf(list.text)('at')! };
    assert.deepEqual(countsOf(await client.incremental(recent)), { created: 2, updated: 1, deleted: 2 });
    await assertSame(client, published);
  });

  // What follows is the same whatever the store is.
  if (store.kind !== 'sqlite') return;

  itWithReferenceClient('copies 1,000 real files, and what changes after', async () => {
    const published = await publishFolder(place, (files) => copyRealFiles(files, FILES));
    const client = new ReferenceClient(published.set, place.folder);
    await writeLater(published);
    await makeBaseline(client, published, FILES + 1);

    await changeFiles(published, FILES + 1);
    assert.deepEqual(countsOf(await client.incremental()), { created: 3, updated: 1, deleted: 2 });
    await assertSame(client, published);
  });

  itWithReferenceClient('copies files with odd names', async () => {
    const published = await publishFolder(place, writeOddFiles);
    const client = new ReferenceClient(published.set, place.folder);

    assert.equal((await client.baseline()).created, ODD_NAMES.length);
    await assertSame(client, published);
  });
});

async function makeBaseline(client: ReferenceClient, published: PublishedFolder, files: number): Promise<void> {
  const { status, created } = await client.baseline();
  assert.deepEqual({ status, created }, { status: 'SYNCED', created: files });
  await assertSame(client, published);
}

/**
 * Writes a file in a later second than that of the first scan. The client remembers the newest lastmod that it saw, and
 * later drops a resource's changes when the first since then is its creation and the last its deletion: right, unless
 * it copied it in between.
 */
async function writeLater({ set, put, seen }: PublishedFolder): Promise<void> {
  const scanned = Date.parse(changesOf((await get(`${set}/changelist.xml`)).text).at(-1)!.datetime);
  const next = (Math.floor(scanned / 1000) + 1) * 1000;
  // The clock that gives files their times is some milliseconds behind.
  await wait(Math.max(0, next - Date.now()) + 100);
  await put('later.txt', 'later');
  await seen(FILES + 1);
}

/** One is created, one updated, one deleted, and one moved, which is a deletion and a creation. */
async function changeFiles({ files, put, seen }: PublishedFolder, changesBefore: number): Promise<void> {
  const [updated = '', deleted = '', moved = ''] = (await contentsOf(files)).keys();
  await put('created.txt', 'new');
  await appendFile(join(files, updated), 'more');
  await unlink(join(files, deleted));
  await rename(join(files, moved), join(files, 'moved.txt'));
  await seen(changesBefore + 5);
}

const countsOf = ({ created, updated, deleted }: SyncReport) => ({ created, updated, deleted });

/** Byte for byte, and by what the client itself says. */
async function assertSame(client: ReferenceClient, { files }: PublishedFolder): Promise<void> {
  assert.deepEqual(await contentsOf(client.copy, decodeURIComponent), await contentsOf(files));
  const { status, output } = await client.audit();
  assert.equal(status, 'IN SYNC', output);
}
