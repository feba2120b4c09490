import assert from 'node:assert/strict';
import { formatKey, parseKey } from '../../../src/artifacts/artifact-key.ts';
import type { ArtifactStore, OpenObject } from '../../../src/artifacts/artifact-store.ts';
import { FolderStore } from '../../../src/artifacts/folder/folder-store.ts';
import { isChainId } from '../../../src/artifacts/keys/log-keys.ts';
import { ArchiveChain, listChains, newChainId } from '../../../src/backup/archive-chain.ts';
import { chooseChain } from '../../../src/backup/choose-chain.ts';
import type { SegmentMark } from '../../../src/backup/segment.ts';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../../src/core/errors.ts';
import { withAfter } from '../../support/published-sets.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const OLD = '20170209_104428-0123abcd';
const NEW = '20260209_104428-0123abcd';
const FILE = { file: 'f.avro', records: 2, length: 1, sha256: 'aa', digest: 'bb' };

/** Segments of two changes each, which follow each other. */
function mark(number: number, fields: Partial<SegmentMark> = {}): SegmentMark {
  return {
    format: 2,
    number,
    after: number === 1 ? 0 : number * 1_000 - 999,
    through: number * 1_000 + 1,
    changes: FILE,
    total: number * 2,
    last: { set: 1, key: '/a', stamp: number * 1_000 },
    documents: FILE,
    positions: FILE,
    written: '2026-02-09T10:44:28Z',
    version: '1.0.0',
    ...fields,
  };
}

describe('the segments of an archive', () => {
  const folder = useTempFolder();
  let store: ArtifactStore;
  let chain: ArchiveChain;

  beforeEach(() => {
    store = new FolderStore(folder.path);
    chain = new ArchiveChain(store, OLD);
  });
  afterEach(() => store.close());

  const append = async (...marks: readonly SegmentMark[]) => {
    for (const each of marks) assert.equal(await chain.append(each), true);
  };
  const isHole = (segment: number) => (error: unknown) =>
    isTidemarkError(error, 'invalid') && error.details.segment === segment;

  it('are none at first', async () => {
    assert.equal(await chain.last(), undefined);
    assert.deepEqual(await chain.all(), []);
    assert.equal(chain.name, `the archive ${OLD} in ${folder.path}`);
  });

  it('are read in their order, however many there are', async () => {
    const marks = Array.from({ length: 35 }, (_, at) => mark(at + 1));
    await append(...marks);
    assert.deepEqual(await chain.all(), marks);
    assert.deepEqual(await chain.last(), marks.at(-1));
  });

  it('each take a number once', async () => {
    await append(mark(1));
    assert.equal(await chain.append(mark(1, { version: 'late' })), false);
    assert.deepEqual(await chain.all(), [mark(1)]);
  });

  it('are not appended when that is aborted', async () => {
    const reason = new Error('stopped');
    await assert.rejects(chain.append(mark(1), AbortSignal.abort(reason)), reason);
    assert.deepEqual(await chain.all(), []);
  });

  it('may have other files beside them', async () => {
    await append(mark(1), mark(2));
    folder.write(`_log/${OLD}/segments/0000000001.json.copy`);
    folder.write(`_log/${OLD}/segments/notes.txt`);
    assert.equal((await chain.all()).length, 2);
  });

  it('have a hole when one is missing', async () => {
    await append(mark(1), mark(2), mark(3));
    folder.remove(formatKey({ kind: 'segment', chain: OLD, number: 1 }));
    await assert.rejects(chain.all(), isHole(1));
    await assert.rejects(chain.last(), isHole(1));
    await append(mark(1));
    folder.remove(formatKey({ kind: 'segment', chain: OLD, number: 2 }));
    await assert.rejects(chain.all(), isHole(2));
    await assert.rejects(chain.last(), isHole(2));
  });

  it('have a hole when one goes while they are read', async () => {
    await append(mark(1), mark(2));
    class Going extends FolderStore {
      override get(key: string) {
        if (key === formatKey({ kind: 'segment', chain: OLD, number: 2 })) folder.remove(key);
        return super.get(key);
      }
    }
    const going = new Going(folder.path);
    await assert.rejects(new ArchiveChain(going, OLD).all(), isHole(2));
  });

  it('are refused when one has the name of another', async () => {
    await append(mark(1));
    folder.write(formatKey({ kind: 'segment', chain: OLD, number: 2 }), JSON.stringify(mark(3)));
    await assert.rejects(chain.last(), (error) => isTidemarkError(error, 'invalid'));
  });

  const follow: readonly (readonly [string, boolean, ...SegmentMark[]])[] = [
    ['begin at another boundary', false, mark(1), mark(2, { after: 999 })],
    ['begin above the one before', false, mark(1), mark(2, { after: 1_003 })],
    ['count other changes', false, mark(1), mark(2, { total: 5 })],
    ['begin above 0', false, mark(1, { after: 1 })],
    ['begin with more changes than they have', false, mark(1, { total: 3 })],
    ['have no changes, and count none', true, mark(1), mark(2, { changes: undefined, total: 2 })],
    ['have no changes, and count some', false, mark(1), mark(2, { changes: undefined, total: 4 })],
  ];
  for (const [what, isTaken, ...marks] of follow) {
    it(`are ${isTaken ? 'taken' : 'refused'} when they ${what}`, async () => {
      await append(...marks);
      if (isTaken) assert.deepEqual(await chain.all(), marks.map(without));
      else await assert.rejects(chain.all(), (error) => isTidemarkError(error, 'invalid'));
    });
  }

  const unreadable: Readonly<Record<string, object>> = {
    'another format': { format: 3 },
    'a number that is not a segment': { number: 0 },
    'a negative boundary': { after: -1 },
    'a boundary that is not an integer': { through: 1.5 },
    'a negative count': { total: -1 },
    'a file without a name': { documents: { ...FILE, file: undefined } },
    'a file with a negative count': { documents: { ...FILE, records: -1 } },
    'a file with a negative length': { positions: { ...FILE, length: -1 } },
    'a file without a digest': { changes: { ...FILE, digest: undefined } },
    'a last change without a key': { last: { set: 1, stamp: 2 } },
  };
  for (const [what, fields] of Object.entries(unreadable)) {
    it(`are refused with ${what}`, async () => {
      folder.write(formatKey({ kind: 'segment', chain: OLD, number: 1 }), JSON.stringify({ ...mark(1), ...fields }));
      await assert.rejects(chain.last(), (error) => isTidemarkError(error, 'invalid'));
    });
  }
});

describe('the archives of an artifact store', () => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = new FolderStore(folder.path);
  });
  afterEach(() => store.close());

  const fails = (code: ErrorCode, ...texts: readonly string[]) => {
    return (error: unknown) => isTidemarkError(error, code) && texts.every((text) => error.message.includes(text));
  };

  it('are those with a segment, the oldest first', async () => {
    assert.deepEqual(await listChains(store), []);
    await new ArchiveChain(store, NEW).append(mark(1));
    await new ArchiveChain(store, OLD).append(mark(1));
    folder.write('_log/20270209_104428-0123abcd/segments/notes.txt');
    folder.write('_log/mine/segments/0000000001.json', JSON.stringify(mark(1)));
    const found = await listChains(store);
    assert.deepEqual(
      found.map(({ chain, last }) => [chain.id, last]),
      [
        [OLD, mark(1)],
        [NEW, mark(1)],
      ],
    );
  });

  it('need not be named when there is one', async () => {
    await assert.rejects(chooseChain(store), fails('not-found'));
    await assert.rejects(chooseChain(store, OLD), fails('not-found'));
    await new ArchiveChain(store, OLD).append(mark(1));
    assert.equal((await chooseChain(store)).id, OLD);
    assert.equal((await chooseChain(store, OLD)).id, OLD);
    await assert.rejects(chooseChain(store, NEW), fails('not-found', `has no archive "${NEW}"`));
  });

  it('are listed when there are several and none of them is named', async () => {
    await new ArchiveChain(store, OLD).append(mark(1));
    await new ArchiveChain(store, NEW).append(mark(1, { changes: undefined, total: 0, last: undefined }));
    assert.equal((await chooseChain(store, OLD)).id, OLD);
    assert.equal((await chooseChain(store, NEW)).id, NEW);
    const list = [`  ${OLD}  2 changes, changes until 1970-01-01T00:00:00.001000Z`, `  ${NEW}  0 changes, no change`];
    await assert.rejects(chooseChain(store), fails('invalid', 'has several archives', list.join('\n')));
  });

  it('can be used though another one is damaged, when they are named', async () => {
    await new ArchiveChain(store, OLD).append(mark(2));
    await new ArchiveChain(store, NEW).append(mark(1));
    assert.equal((await chooseChain(store, NEW)).id, NEW);
    const hole = `the archive ${OLD} in ${store.name} has a hole: segment 1 is missing`;
    await assert.rejects(chooseChain(store, OLD), fails('invalid', hole));
    // The damaged one may have the newer history.
    const list = [`  ${OLD}  damaged: ${hole}`, `  ${NEW}  2 changes, changes until 1970-01-01T00:00:00.001000Z`];
    await assert.rejects(chooseChain(store), fails('invalid', 'name one with --from', list.join('\n')));
  });

  it('are refused when the only one is damaged', async () => {
    await new ArchiveChain(store, OLD).append(mark(2));
    await assert.rejects(chooseChain(store), fails('invalid', `${OLD} in ${store.name} has a hole`));
    await assert.rejects(chooseChain(store, NEW), fails('not-found', `${OLD}  damaged: `));
  });

  it('are not taken for damaged when their store does not answer', async () => {
    await new ArchiveChain(store, OLD).append(mark(1));
    const away = withAfter(store, 'get', async (object) => {
      (object as OpenObject).body.destroy();
      throw new TidemarkError('unavailable', 'away');
    });
    await assert.rejects(chooseChain(away), fails('unavailable'));
  });
});

describe('names in an archive', () => {
  it('begin with the time, and are never given twice', () => {
    const now = new Date('2017-02-09T10:44:28.999Z');
    assert.match(newChainId(now), /^20170209_104428-[0-9a-f]{8}$/);
    assert.notEqual(newChainId(now), newChainId(now));
    assert.ok(isChainId(newChainId()));
  });

  it('of archives are complete', () => {
    for (const id of [`x${OLD}`, `${OLD}x`, OLD.slice(1), OLD.slice(0, -1), OLD.toUpperCase(), ''])
      assert.ok(!isChainId(id), id);
  });

  it('of segments follow from their numbers', () => {
    assert.equal(formatKey({ kind: 'segment', chain: OLD, number: 17 }), `_log/${OLD}/segments/0000000017.json`);
    assert.deepEqual(parseKey(`_log/${OLD}/segments/0000000017.json`), { kind: 'segment', chain: OLD, number: 17 });
    for (const name of ['0000000017.json', 'segments/17.json', 'segments/0000000017.jsonx', 'segments/0000000017xjson'])
      assert.equal(parseKey(`_log/${OLD}/${name}`), undefined, name);
  });

  it('of files have both boundaries', () => {
    const key = {
      kind: 'segment-part',
      chain: OLD,
      number: 17,
      part: 'changes',
      after: 21,
      through: 43,
      chance: 'abcd',
    } as const;
    assert.equal(formatKey(key), `_log/${OLD}/changes/0000000017-21-43-abcd.avro`);
  });
});

/** As it is read again: JSON knows no undefined. */
function without(value: SegmentMark): SegmentMark {
  return JSON.parse(JSON.stringify(value));
}
