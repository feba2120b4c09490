import assert from 'node:assert/strict';
import type { Resource } from '../../../src/core/resource.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import type { FileEntry } from '../../../src/sources/content-root.ts';
import { type ClassifierRules, FileClassifier } from '../../../src/sources/files/classify-file.ts';
import type { RememberedFile } from '../../../src/sources/files/file-memory.ts';
import { lastModifiedOf, lastmodOf } from '../../../src/sources/files/file-times.ts';

const SECOND = 1_000_000_000n;
const NOW = 1_700_000_000_000;
const DAY = 86_400_000;
const MODIFIED = 1_600_000_000n;
const KEY = '/a';

const FILE: FileEntry = { path: 'a', length: 5, mtime: MODIFIED * SECOND + 7n };
const REMEMBERED: RememberedFile = { key: KEY, length: 5, mtime: FILE.mtime, scanned: FILE.mtime + 2n * SECOND };
const TAGGED = { ...REMEMBERED, tag: 't', scanned: FILE.mtime };

function resourceOf(state: object = {}): Resource {
  const hashes = { 'sha-256': 'x' };
  return { key: KEY, stamp: 2, created: 2, state: { length: 5, lastmod: Number(MODIFIED), hashes, ...state } };
}

function classify(rules: Partial<ClassifierRules> = {}): FileClassifier {
  const set = { urlPrefix: 'https://example.org/' } as ResourceSet;
  return new FileClassifier({ set, rehash: false, hashes: ['sha-256'], now: NOW, ...rules });
}

/** What is to be done about a file that is known. */
function known(
  file: object = {},
  remembered: object | undefined = {},
  state?: object,
  rules?: Partial<ClassifierRules>,
) {
  const row = { key: KEY, file: { ...FILE, ...file }, resource: resourceOf(state) };
  return classify(rules).classify({ ...row, remembered: remembered && { ...REMEMBERED, ...remembered } }).todo;
}

describe('What a scan does about a file', () => {
  it('is nothing when it is as it was', () => {
    assert.equal(known(), 'nothing');
  });

  it('is to hash it when it is new, not remembered, or every file is to be hashed', () => {
    assert.deepEqual(classify().classify({ key: KEY, file: FILE, remembered: REMEMBERED }), {
      todo: 'hash',
      file: FILE,
    });
    assert.deepEqual(classify().classify({ key: KEY, file: FILE, resource: resourceOf() }), {
      todo: 'hash',
      file: FILE,
    });
    assert.equal(known({}, {}, {}, { rehash: true }), 'hash');
  });

  it('is to hash it when its length or its time is another one', () => {
    assert.equal(known({}, { length: 6 }), 'hash');
    assert.equal(known({}, { mtime: FILE.mtime + 1n }), 'hash');
    assert.equal(known({ length: 6 }, { length: 6 }), 'hash', 'the state has another length');
    assert.equal(known({}, {}, { lastmod: Number(MODIFIED) + 1 }), 'hash');
    assert.equal(known({}, {}, { lastmod: undefined }), 'hash');
    assert.equal(known({}, {}, { length: undefined }), 'hash');
  });

  it('is to hash it when its state lacks a hash', () => {
    assert.equal(known({}, {}, { hashes: undefined }), 'hash');
    assert.equal(known({}, {}, { hashes: { md5: 'x' } }), 'hash');
    assert.equal(known({}, {}, {}, { hashes: ['sha-256', 'md5'] }), 'hash');
    assert.equal(known({}, {}, { hashes: undefined }, { hashes: [] }), 'hash', 'it was posted without any');
    assert.equal(known({}, {}, { hashes: { md5: 'x' } }, { hashes: [] }), 'nothing');
  });

  it('is to hash it when it was seen within two seconds of its time, before or after', () => {
    const { mtime } = FILE;
    assert.equal(known({}, { scanned: mtime + 2n * SECOND - 1n }), 'hash');
    assert.equal(known({}, { scanned: mtime }), 'hash');
    assert.equal(known({}, { scanned: mtime - 2n * SECOND + 1n }), 'hash');
    assert.equal(known({}, { scanned: mtime - 2n * SECOND }), 'nothing');
  });

  it('goes by the tag of a file that has one, whenever it was seen', () => {
    assert.equal(known({ tag: 't' }, TAGGED), 'nothing');
    assert.equal(known({ tag: 'u' }, TAGGED), 'hash');
    assert.equal(known({}, TAGGED), 'hash');
    assert.equal(known({ tag: 't' }), 'hash', 'it had none before');
  });

  it('goes by the tag of a file of a folder, and by its time', () => {
    const changed = FILE.mtime;
    assert.equal(known({ tag: 't', changed }, { tag: 't' }), 'nothing');
    assert.equal(known({ tag: 't', changed }, TAGGED), 'hash', 'it was seen within two seconds');
    assert.equal(known({ tag: 'u', changed }, { tag: 't' }), 'hash');
  });

  it('is to remember the tag of a file that has not changed since it was remembered without one', () => {
    const changed = FILE.mtime;
    const file = { ...FILE, tag: 't', changed };
    const row = { key: KEY, file, resource: resourceOf() };
    const found = classify().classify({ ...row, remembered: REMEMBERED });
    assert.deepEqual(found, { todo: 'remember', remember: { ...REMEMBERED, tag: 't' } });
    assert.equal(known({ tag: 't', changed: changed + 1n }), 'hash', 'changed within two seconds');
    const old = { scanned: FILE.mtime + 10n * SECOND };
    assert.equal(known({ tag: 't', changed: changed + 8n * SECOND }, old), 'remember');
    assert.equal(known({ tag: 't', changed: changed + 20n * SECOND }, old), 'hash');
  });

  it('is to report it when its URI would be too long', () => {
    const path = 'a'.repeat(2_029);
    const row = { key: `/${path}`, file: { ...FILE, path } };
    const problem = { path, problem: 'its URI would have 2049 characters; at most 2048' };
    assert.deepEqual(classify().classify(row), { todo: 'report', problem });
  });
});

describe('What a scan does about what is not a file (any more)', () => {
  it('is to delete a resource, and to forget what is only remembered', () => {
    assert.equal(classify().classify({ key: KEY, resource: resourceOf() }).todo, 'delete');
    assert.equal(classify().classify({ key: KEY, remembered: REMEMBERED }).todo, 'forget');
  });

  it('is nothing when no file can have its key: it was posted', () => {
    assert.equal(classify().classify({ key: '/a?b', resource: resourceOf() }).todo, 'nothing');
  });

  it('is nothing at or below a path that could not be read', () => {
    const judging = classify();
    const resource = resourceOf();
    const todo = (key: string) => judging.classify({ key, resource }).todo;
    const problem = { path: 'b', problem: 'permission denied' };
    assert.equal(todo('/a'), 'delete');
    assert.deepEqual(judging.classify({ key: '/b', problem }), { todo: 'report', problem });
    assert.equal(todo('/b'), 'nothing');
    assert.equal(todo('/b-c'), 'delete');
    assert.equal(todo('/b/c'), 'nothing');
    judging.classify({ key: '/b/d', problem });
    assert.equal(todo('/b/d/e'), 'nothing');
    assert.equal(todo('/b/f'), 'nothing');
    assert.equal(todo('/b0'), 'delete');
    assert.equal(todo('/c'), 'delete');
  });
});

describe('The time of a file', () => {
  it('has whole seconds, and is unknown when it is more than a day ahead', () => {
    assert.equal(lastmodOf(7n * SECOND + 999_999_999n, NOW), 7);
    const ahead = BigInt((NOW + DAY) / 1000);
    assert.equal(lastmodOf(ahead * SECOND, NOW), Number(ahead));
    assert.equal(lastmodOf((ahead + 1n) * SECOND, NOW), undefined);
    assert.equal(lastmodOf(-5n * SECOND, NOW), -5);
  });

  it('is unknown when no datetime can have it, as on file systems that store any number', () => {
    assert.equal(lastmodOf(BigInt(Date.UTC(100, 0) / 1000) * SECOND, NOW), Date.UTC(100, 0) / 1000);
    for (const seconds of [Date.UTC(100, 0) / 1000 - 1, -9e15]) {
      assert.equal(lastmodOf(BigInt(seconds) * SECOND, NOW), undefined);
    }
  });

  it('is not served when it is ahead', () => {
    assert.equal(lastModifiedOf(BigInt(NOW / 1000) * SECOND, NOW), NOW / 1000);
    assert.equal(lastModifiedOf(BigInt(NOW / 1000 + 1) * SECOND, NOW), undefined);
  });
});
