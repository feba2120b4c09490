import assert from 'node:assert/strict';
import { isRejected, readDocument } from '../../../src/ingest/import-index/source-document.ts';

const TIME = Date.UTC(2017, 1, 3, 12, 25) * 1000;
const NOW = Date.UTC(2026, 0, 1) * 1000;
const LOCATION = { value: 'a.pdf', type: 'rel_path' };

const resource = (fields: object = {}): object => ({ resource_set: 'papers', location: LOCATION, ...fields });
const change = (fields: object = {}): object =>
  resource({ change: 'updated', datetime: '2017-02-03T12:25:00+0000', ...fields });

describe('A document to import', () => {
  it('is a resource, or with a change a change', () => {
    assert.deepEqual(read(resource()), {
      kind: 'resource',
      setName: 'papers',
      event: { location: LOCATION, change: 'updated', length: undefined, ln: undefined },
      time: undefined,
      written: 0,
      leftOut: [],
    });
    assert.deepEqual(read(change()), {
      kind: 'change',
      setName: 'papers',
      event: { location: LOCATION, change: 'updated', length: undefined, ln: undefined },
      time: TIME,
      written: 0,
      leftOut: [],
    });
  });

  it('is what its type says, when it has one', () => {
    assert.equal(read(change({ doc_type: 'resource' })).kind, 'resource');
    assert.equal(read(change({ type: 'resource' })).kind, 'resource');
    assert.equal(read(change({ type: 'pdf' })).kind, 'change');
    assert.deepEqual(read(change({ type: 'change' })).leftOut, []);
    assert.deepEqual(read(change({ type: 'pdf' })).leftOut, ['type']);
    assert.equal(readDocument(resource({ doc_type: 'tombstone' }), NOW), undefined);
  });

  it('may have arrays of one, as nested fields have, and empty fields', () => {
    const { event, setName } = read({
      resource_set: ['papers'],
      location: [{ value: ['a.pdf'], type: 'rel_path' }],
      length: ['12'],
      md5: ['x', null, 'y'],
      mime: '',
      lastmod: null,
      ln: { rel: ['describedby'], href: [LOCATION], mime: [] },
    });
    assert.equal(setName, 'papers');
    assert.deepEqual(event, {
      location: LOCATION,
      change: 'updated',
      length: 12,
      md5: ['x', 'y'],
      ln: [{ rel: 'describedby', href: LOCATION }],
    });
  });

  it('may have an order, which is a number', () => {
    assert.equal(read(change({ order: 7 })).event.order, 7);
    assert.equal(read(resource({ order: ['7'] })).event.order, 7);
    const { event, leftOut } = read(change({ order: 'first' }));
    assert.deepEqual([event.order, leftOut], [undefined, ['order']]);
  });

  it('has its URIs percent-encoded, where the other program did not', () => {
    const location = { value: 'https://example.org/a b|c', type: 'url' };
    const { event } = read(resource({ location, ln: { rel: 'via', href: location } }));
    const encoded = { value: 'https://example.org/a%20b%7Cc', type: 'url' };
    assert.deepEqual([event.location, event.ln], [encoded, [{ rel: 'via', href: encoded }]]);
  });

  it('names the fields that are left out', () => {
    const link = { rel: 'up', href: { ...LOCATION, port: 1 }, title: 'Up' };
    const { leftOut, event } = read(resource({ rights: 'CC0', location: { ...LOCATION, host: 'x' }, ln: [link] }));
    assert.deepEqual(leftOut, ['rights', 'location.host', 'ln.title', 'ln.href.port']);
    assert.deepEqual(event.location, LOCATION);
  });

  for (const [datetime, micros] of [
    ['2017-02-03T12:25:00Z', 0],
    ['2017-02-03T13:25:00+01:00', 0],
    ['2017-02-03T12:25:00.123Z', 123_000],
    ['2017-02-03T12:25:00.1234567+0000', 123_456],
  ] as const) {
    it(`happened at ${datetime}`, () => {
      assert.equal(read(change({ datetime })).time, TIME + micros);
    });
  }

  it('without a datetime happened when it was written', () => {
    const written = '2017-02-03T12:25:00Z';
    assert.equal(read(change({ datetime: null, timestamp: written })).time, TIME);
    assert.equal(read(resource({ timestamp: written })).time, TIME);
    assert.equal(read(resource({ timestamp: 'yesterday' })).time, undefined);
    assert.equal(read(resource({ timestamp: '2037-01-01T00:00:00Z' })).time, undefined);
  });

  const WRONG: readonly (readonly [source: unknown, code: string, field: string | undefined])[] = [
    [undefined, 'no-source', undefined],
    [resource({ resource_set: '' }), 'missing-field', 'resource_set'],
    [resource({ resource_set: ['a', 'b'] }), 'missing-field', 'resource_set'],
    [change({ datetime: undefined }), 'missing-field', 'datetime'],
    [change({ datetime: '2017-02-03' }), 'datetime-without-zone', 'datetime'],
    [change({ datetime: 1_486_124_700_000 }), 'bad-datetime', 'datetime'],
    [change({ datetime: '2037-01-01T00:00:00Z' }), 'datetime-in-future', 'datetime'],
    [change({ datetime: '1969-12-31T23:59:59Z' }), 'datetime-before-1970', 'datetime'],
    [change({ datetime: null, timestamp: 'now' }), 'bad-datetime', 'timestamp'],
  ];
  for (const [source, code, field] of WRONG) {
    it(`is rejected as ${code}: ${JSON.stringify(source)}`, () => {
      const rejection = readDocument(source, NOW);
      assert.ok(rejection !== undefined && isRejected(rejection));
      assert.deepEqual([rejection.code, rejection.field], [code, field]);
    });
  }

  function read(source: unknown) {
    const document = readDocument(source, NOW);
    assert.ok(document !== undefined && !isRejected(document), JSON.stringify(document));
    return document;
  }
});
