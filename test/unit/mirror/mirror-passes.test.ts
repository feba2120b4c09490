import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import type { Mirror } from '../../../src/client/mirror/mirror.ts';
import { openMirror } from '../../../src/client/mirror/open-mirror.ts';
import { folderPlace } from '../../../src/client/mirror/target/folder-place.ts';
import { CHANGES, copyIn, LIST, MirroredSource } from '../../support/mirrored-source.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const AT = '2026-01-01T00:00:00Z';

describe('Passes of one mirror', () => {
  const folder = useTempFolder();
  let source: MirroredSource;
  let mirror: Mirror | undefined;
  beforeEach(async () => {
    mirror = undefined;
    source = await MirroredSource.start();
  });
  afterEach(async () => {
    await mirror?.close();
    await source.close();
  });

  async function open(onNotice = (_text: string) => {}): Promise<Mirror> {
    mirror = await openMirror({
      ...{ url: source.url, place: folderPlace(folder.at('copy')), adopt: false, keepDeleted: false, dump: false },
      ...{ connections: 1, rate: Infinity, allowedHosts: [], signal: AbortSignal.timeout(60_000) },
      ...{ waitsForSource: false, onProgress() {}, onNotice, onPause() {}, onOutage() {} },
    });
    return mirror;
  }
  const copied = () => copyIn(folder.at('copy'));
  const changed = (path: string, datetime: string) => ({ path, change: 'updated', datetime }) as const;
  /** Publishes changes in a list that gets no more of them. */
  function closed(from: string, until: string, path: string, datetime: string): void {
    source.changes(from, [changed(path, datetime)]);
    const text = source.served.answers.get(CHANGES) as string;
    source.served.answers.set(CHANGES, text.replace(`from="${from}"`, `from="${from}" until="${until}"`));
  }
  /** Gives a list another address, as a source does that is set up anew. */
  function move(from: string, to: string): void {
    const { answers } = source.served;
    answers.set(to, answers.get(from)!);
    answers.delete(from);
    const set = answers.get('/set.xml') as string;
    answers.set('/set.xml', set.replaceAll(`${source.served.baseUrl}${from}`, `${source.served.baseUrl}${to}`));
  }

  it('fetch a resource that failed, also after a comparison that could not be finished', async () => {
    source.put({ a: 'a', b: 'b' }).list(AT).changes(AT, []);
    source.served.answers.delete('/files/b');
    await open();
    assert.equal((await mirror!.pass()).failed, 1);
    const list = source.served.answers.get(CHANGES)!;
    source.served.answers.set(CHANGES, 'no XML');
    await assert.rejects(mirror!.pass({ compares: true }));
    source.served.answers.set(CHANGES, list);
    source.put({ b: 'b' });
    assert.equal((await mirror!.pass()).failed, 0);
    assert.deepEqual(copied(), { a: 'a', b: 'b' });
  });

  it('know nothing of a failure once a comparison has found its resource gone', async () => {
    source.put({ a: 'a', b: 'b' }).list(AT).changes(AT, []);
    source.served.answers.delete('/files/b');
    await open();
    assert.equal((await mirror!.pass()).failed, 1);
    source.put({ b: undefined }).list(AT);
    assert.equal((await mirror!.pass({ compares: true })).failed, 0);
    assert.deepEqual(mirror!.failures(), []);
  });

  it('delete a resource that could not be deleted, also without further changes', async () => {
    source.put({ a: 'a', 'd/b': 'b' }).list(AT).changes(AT, []);
    await open();
    await mirror!.pass();
    const [path, aside] = [folder.at('copy/d'), folder.at('aside')];
    renameSync(path, aside);
    symlinkSync(aside, path);
    const deleted = { path: 'd/b', change: 'deleted', datetime: '2026-01-02T00:00:00Z' } as const;
    source.put({ 'd/b': undefined }).changes(AT, [deleted]);
    assert.equal((await mirror!.pass()).failed, 1);
    folder.remove('copy/d');
    renameSync(aside, path);
    assert.deepEqual(copied(), { a: 'a', 'd/b': 'b' });
    const { failed, deleted: count } = await mirror!.pass();
    assert.deepEqual([failed, count, copied()], [0, 1, { a: 'a' }]);
  });

  it('find lists that are at other addresses now', async () => {
    source.put({ a: 'a' }).list(AT).changes(AT, []);
    await open();
    await mirror!.pass();
    source.put({ a: 'new' }).changes(AT, [changed('a', '2026-01-02T00:00:00Z')]);
    move(CHANGES, '/other-changes.xml');
    await mirror!.pass();
    assert.deepEqual(copied(), { a: 'new' });
    source.put({ b: 'b' }).list('2026-01-03T00:00:00Z');
    move(LIST, '/other-list.xml');
    await mirror!.pass({ compares: true });
    assert.deepEqual(copied(), { a: 'new', b: 'b' });
  });

  it('read the next Change List once one was closed', async () => {
    source.put({ a: 'a' }).list(AT).changes(AT, []);
    await open();
    await mirror!.pass();
    source.put({ a: 'new' });
    closed(AT, '2026-01-03T00:00:00Z', 'a', '2026-01-02T00:00:00Z');
    await mirror!.pass();
    assert.deepEqual(copied(), { a: 'new' });

    const { answers } = source.served;
    const before = answers.get(CHANGES)!;
    source.put({ a: 'newer' }).changes('2026-01-03T00:00:00Z', [changed('a', '2026-01-04T00:00:00Z')]);
    move(CHANGES, '/next-changes.xml');
    answers.set(CHANGES, before);
    await mirror!.pass();
    assert.deepEqual(copied(), { a: 'newer' });
  });

  it('read a Change List that the set has only now', async () => {
    source.put({ a: 'a' }).list(AT);
    await open();
    assert.equal((await mirror!.pass()).compared, 'first');
    source.changes(AT, []);
    assert.equal((await mirror!.pass()).compared, undefined);
  });

  it('fail while a list is missing', async () => {
    source.put({ a: 'a' }).list(AT).changes(AT, []);
    await open();
    await mirror!.pass();
    source.served.answers.delete(CHANGES);
    await assert.rejects(mirror!.pass(), /changelist/);
  });

  it('say once that lengths cannot be compared, however many there are', async () => {
    const notices: string[] = [];
    await open((text) => notices.push(text));
    for (const files of [{ a: 'a' }, { a: 'new', b: 'b' }]) {
      source.put(files).list(AT, () => 'length="-5"');
      await mirror!.pass();
    }
    assert.equal(notices.length, 1, notices.join('\n'));
    assert.match(notices[0]!, /^an entry has a length/);
  });
});
