import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { openFolder } from '../../../src/records/activities/readers/read-folder.ts';
import { openNdjsonFile, openNdjsonStream } from '../../../src/records/activities/readers/read-ndjson.ts';
import type { RecordSource } from '../../../src/records/activities/readers/record-source.ts';
import type { InputItem } from '../../../src/records/input-item.ts';
import { openRoot } from '../../../src/sources/open-contents.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../../support/s3.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const NEVER = new AbortController().signal;

describe('records of an input', () => {
  describe('as lines of JSON', () => {
    const folder = useTempFolder();

    it('A12: have the document exactly as it is in the line', async () => {
      const document = '\ufeff<a>\r\n\t\u0000 Zürich \u{1f5fa} “x”</a>  ';

      const [item] = await linesOf({ id: 'a', document, mimetype: 'application/xml' });

      assert.deepEqual(item, { kind: 'record', line: 1, id: 'a', document, mimetype: 'application/xml' });
    });

    it('A11: are refused with a MIME type outside the three, with the ones that can be used', async () => {
      const given = [{ mimetype: 'text/plain' }, {}, { mimetype: 'application_xml' }, { mimetype: 5 }];
      const items = await linesOf(...given.map((more) => ({ id: 'a', document: 'x', ...more })));

      assert.deepEqual(kindsOf(items), ['mimetype', 'mimetype', 'mimetype', 'mimetype']);
      assert.equal(
        problemOf(items[0]),
        'its mimetype is "text/plain": use application/json, application/xml, text/turtle',
      );
    });

    it('are refused without an id, or with one that is not a text, too long, or half a character', async () => {
      const ids = [undefined, null, '', 5, 'x'.repeat(1025), 'ž'.repeat(513), '\ud800'];
      const items = await linesOf(...ids.map((id) => ({ id, document: 'x', mimetype: 'text/turtle' })));

      const kinds = ['no-id', 'no-id', 'no-id', 'no-id', 'id-too-long', 'id-too-long', 'not-utf-8'];
      assert.deepEqual(kindsOf(items), kinds);
      assert.deepEqual(kindsOf(await linesOf({ id: 'x'.repeat(1024), deleted: true })), ['deleted']);
      assert.equal(problemOf(items[4]), `its id has more than 1024 bytes; it begins with "${'x'.repeat(79)}…`);
    });

    it('are refused with values that are nested more deeply than can be written', async () => {
      const deep = '['.repeat(100_000) + ']'.repeat(100_000);
      const lines = [`{"id":${deep}}`, `{"id":"a","document":${deep}}`, `{"id":"a","document":"x","mimetype":${deep}}`];

      const items = await itemsOf(openNdjsonStream(Readable.from([Buffer.from(lines.join('\n'))])));

      assert.deepEqual(kindsOf(items), ['no-id', 'no-document', 'mimetype']);
      assert.equal(problemOf(items[0]), 'its id is a deeply nested list: an id is a text');
    });

    it('are refused without a document, with one that is not a text, or cannot be written as UTF-8', async () => {
      const documents = [undefined, { a: 1 }, null, 'half \ud83d'];
      const items = await linesOf(
        ...documents.map((document) => ({ id: 'a', document, mimetype: 'application/json' })),
      );

      assert.deepEqual(kindsOf(items), ['no-document', 'no-document', 'no-document', 'not-utf-8']);
      assert.equal(problemOf(items[1]), 'its document is {"a":1}: a document is a text');
    });

    it('that are deleted need no document', async () => {
      const items = await linesOf({ id: 'a', deleted: true }, { id: 'b', deleted: 'yes' });

      assert.deepEqual(items[0], { kind: 'deleted', line: 1, id: 'a' });
      assert.deepEqual(kindsOf(items), ['deleted', 'wrong-field']);
    });

    it('that are not JSON, not an object or not UTF-8 stop no other, and are reported with their line', async () => {
      const bytes = Buffer.concat([
        Buffer.from('nonsense\n[]\n\n'),
        Buffer.from([0x22, 0xff, 0x22, 0x0a]),
        Buffer.from('{"id":"a","deleted":true}'),
      ]);
      const items = await itemsOf(openNdjsonStream(Readable.from([bytes.subarray(0, 9), bytes.subarray(9)])));

      assert.deepEqual(kindsOf(items), ['not-json', 'not-json', 'not-utf-8', 'deleted']);
      assert.deepEqual(
        items.map(({ line }) => line),
        [1, 2, 4, 5],
      );
    });

    it('come from a file, whose size is the total of the progress', async () => {
      folder.write('records.ndjson', '{"id":"a","deleted":true}\n{"id":"b","deleted":true}\n');

      const source = await openNdjsonFile(folder.at('records.ndjson'), NEVER);

      assert.deepEqual(source.total, { count: 52, unit: 'bytes' });
      assert.deepEqual(kindsOf(await itemsOf(source)), ['deleted', 'deleted']);
      await assert.rejects(
        openNdjsonFile(folder.at('missing'), NEVER),
        /missing cannot be read: it does not exist \(ENOENT\)/,
      );
    });

    function linesOf(...values: readonly object[]): Promise<readonly InputItem[]> {
      const lines = values.map((value) => `${JSON.stringify(value)}\n`).join('');
      return itemsOf(openNdjsonStream(Readable.from([Buffer.from(lines)])));
    }
  });

  describe('as documents of a folder', () => {
    const folder = useTempFolder();

    it('A12: have their path as id, the MIME type of their suffix, and the bytes of the file as they are', async () => {
      folder.write('maps/Zürich 1.XML', '\ufeff<a>\r\n</a>\n');
      folder.write('maps/b.json', '{}');
      folder.write('c.ttl', '');

      const items = await itemsOf(openFolder(openRoot({ root: folder.path, exclude: [] })));

      assert.deepEqual(items, [
        { kind: 'record', id: 'c.ttl', document: '', mimetype: 'text/turtle' },
        { kind: 'record', id: 'maps/Zürich 1.XML', document: '\ufeff<a>\r\n</a>\n', mimetype: 'application/xml' },
        { kind: 'record', id: 'maps/b.json', document: '{}', mimetype: 'application/json' },
      ]);
    });

    it('that are not UTF-8 are refused, and files with other suffixes are passed over and counted', async () => {
      folder.write('latin.xml', Buffer.from('<a>Z\xfcrich</a>', 'latin1'));
      folder.write('good.xml', '<a/>');
      folder.write('README.txt', 'no record');
      folder.write('no-suffix', 'no record');

      const source = openFolder(openRoot({ root: folder.path, exclude: [] }));
      const items = await itemsOf(source);

      assert.deepEqual(kindsOf(items), ['record', 'not-utf-8']);
      assert.equal(problemOf(items[1]), 'the document is not UTF-8');
      assert.deepEqual(source.passedOver?.(), { files: 2, links: 0 });
    });

    it('that are named by links within the folder come twice, and other links are passed over and counted', async () => {
      folder.write('good.xml', '<a/>');
      folder.write('.tidemarkignore', 'ignored.xml');
      mkdirSync(folder.at('maps'));
      symlinkSync('good.xml', folder.at('link.xml'));
      for (const [name, target] of Object.entries({ maps: 'maps', out: tmpdir(), nothing: 'x', ignored: 'x' })) {
        symlinkSync(target, folder.at(`${name}.xml`));
      }

      const source = openFolder(openRoot({ root: folder.path, exclude: [] }));
      const items = await itemsOf(source);

      assert.deepEqual(kindsOf(items), ['record', 'record']);
      assert.deepEqual(source.passedOver?.(), { files: 0, links: 3 });
    });

    it('that are many all come', async () => {
      for (let number = 0; number < 40; number++) folder.write(`${number}.json`, `${number}`);

      const items = await itemsOf(openFolder(openRoot({ root: folder.path, exclude: [] })));

      assert.deepEqual(items.map((item) => item.kind === 'record' && item.document).length, 40);
      assert.ok(items.every((item) => item.kind === 'record' && item.id === `${item.document}.json`));
    });

    it('in a folder that was deleted end the run', async () => {
      const source = openFolder(openRoot({ root: folder.at('gone'), exclude: [] }));

      await assert.rejects(itemsOf(source), { code: 'unavailable' });
    });
  });
});

describe('records of a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);

  it('are its documents, with their path below the prefix as id', async () => {
    await bucket.put('ingest/maps/1.xml', '<a/>');
    await bucket.put('ingest/2.json', '{}');
    await bucket.put('ingest/3.txt', 'no record');
    await bucket.put('other/4.xml', '<a/>');

    const root = openRoot({
      root: rootOf(s3, bucket.name, 'ingest'),
      exclude: [],
      s3: { timeoutMs: 5_000, pollIntervalMs: 300_000 },
    });
    const items = await itemsOf(openFolder(root));

    assert.deepEqual(items, [
      { kind: 'record', id: '2.json', document: '{}', mimetype: 'application/json' },
      { kind: 'record', id: 'maps/1.xml', document: '<a/>', mimetype: 'application/xml' },
    ]);
  });
});

async function itemsOf(source: RecordSource): Promise<readonly InputItem[]> {
  const items: InputItem[] = [];
  for await (const batch of source.read()) items.push(...batch.items);
  return items;
}

function kindsOf(items: readonly InputItem[]): readonly string[] {
  return items.map((item) => (item.kind === 'bad' ? item.problem.kind : item.kind));
}

function problemOf(item: InputItem | undefined): string | undefined {
  return item?.kind === 'bad' ? item.problem.message : undefined;
}
