import assert from 'node:assert/strict';
import { idInLine, readDeletedIds } from '../../../../src/records/forms/deletions/deleted-ids.ts';
import type { DeletedId, ReadErratum } from '../../../../src/records/forms/record-form.ts';
import { given } from '../../../support/upload-packages.ts';

async function read(content: string | Buffer, chunk = 100_000) {
  const read: (DeletedId | ReadErratum)[] = [];
  for await (const batch of readDeletedIds(given(Buffer.from(content), chunk).read())) {
    assert.ok(batch.length > 0);
    read.push(...batch);
  }
  return read;
}

describe('lists of ids to delete', () => {
  it('reads one id a line, however the text arrives, with its line and offset', async () => {
    const text = '\ufeff1\r\n\n  ocm 2 \n\u00fc3';
    for (const chunk of [1, 3, 1000]) {
      assert.deepEqual(await read(text, chunk), [
        { kind: 'deletion', ordinal: 1, offset: 0, id: '1' },
        { kind: 'deletion', ordinal: 3, offset: 7, id: 'ocm 2' },
        { kind: 'deletion', ordinal: 4, offset: 16, id: '\u00fc3' },
      ]);
    }
    assert.deepEqual(await read('\n \r\n'), []);
  });

  it('reads lines that end with CR alone', async () => {
    for (const chunk of [1, 2, 1000]) {
      assert.deepEqual(await read('1\r\r2\r\n3\n\r4\r', chunk), [
        { kind: 'deletion', ordinal: 1, offset: 0, id: '1' },
        { kind: 'deletion', ordinal: 3, offset: 3, id: '2' },
        { kind: 'deletion', ordinal: 4, offset: 6, id: '3' },
        { kind: 'deletion', ordinal: 6, offset: 9, id: '4' },
      ]);
    }
  });

  it('reads up to the Ctrl-Z that ends a text of DOS', async () => {
    for (const end of ['\u001a', '\r\n\u001a', '\r\n\u001a\r\n']) {
      assert.deepEqual(await read(`1\r\n2${end}`), [
        { kind: 'deletion', ordinal: 1, offset: 0, id: '1' },
        { kind: 'deletion', ordinal: 2, offset: 3, id: '2' },
      ]);
    }
  });

  it('takes a time that grows with a line, whatever is in it', () => {
    assert.equal(idInLine(`${'\u001a'.repeat(200_000)}1`).length, 200_001);
    assert.equal(idInLine('1\u001a \u001a\u001a '), '1\u001a');
  }).timeout(15_000);

  it('makes an erratum of a line that cannot be an id, and reads the next', async () => {
    const long = '1'.repeat(300);
    const bytes = Buffer.concat([
      Buffer.from(`1\n${long}\n${'2'.repeat(10_000)}\na\u0000b\n`),
      Buffer.from('\xfc\n', 'latin1'),
      Buffer.from(`${' '.repeat(3000)}3\n`),
    ]);
    for (const chunk of [10, 100_000]) {
      assert.deepEqual(
        (await read(bytes, chunk)).map((one) => [
          one.ordinal,
          one.offset,
          one.kind === 'erratum' ? one.reason : one.id,
        ]),
        [
          [1, 0, '1'],
          [2, 2, `an id has at most 255 bytes; this begins with "${'1'.repeat(79)}…`],
          [3, 303, 'the line has 10000 bytes: a line has one id'],
          [4, 10_304, 'an id has no control characters: "a\\u0000b"'],
          [5, 10_308, 'the line is not UTF-8: it has the byte FC'],
          [6, 10_310, '3'],
        ],
      );
    }
  });
});
