import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { filesInOrder } from '../../../../src/records/forms/in-order.ts';
import type { GivenFile } from '../../../../src/records/packages/found-file.ts';
import { given, marc, tar, zip } from '../../../support/upload-packages.ts';

describe('order of the files of an upload', () => {
  it('has lists of deletions first, then the other files, each in their order', async () => {
    const records = { a: marc('1'), b: '1\n2\n', c: '%PDF-', d: '3\n4\n', e: marc('2') };
    const files = [marc('3'), gzipSync(tar(records)), Buffer.from('5\n6\n'), zip(records)].map(
      (bytes, at): GivenFile => ({ ...given(bytes), name: String(at) }),
    );
    const found: string[] = [];
    for await (const { file, position } of filesInOrder(files)) {
      const { path, kind, bytes } = file;
      assert.equal(path[0], String(position - 1));
      found.push(`${path.join('/')} ${kind} ${(await text(bytes)).length}`);
    }
    assert.deepEqual(found, [
      ...['1/b deleted-ids 4', '1/d deleted-ids 4', '2 deleted-ids 4', '3/b deleted-ids 4', '3/d deleted-ids 4'],
      ...['0 marc21 40', '1/a marc21 40', '1/c unknown 0', '1/e marc21 40'],
      ...['3/a marc21 40', '3/c unknown 0', '3/e marc21 40'],
    ]);
  });

  it('reads of a file that is in no package only the beginning in the first pass', async () => {
    const bytes = Buffer.concat(Array.from({ length: 50_000 }, (_, id) => marc(String(id))));
    let read = 0;
    const file: GivenFile = {
      name: 'large',
      async *read() {
        for await (const chunk of given(bytes, 10_000).read()) {
          read += chunk.length;
          yield chunk;
        }
      },
    };
    for await (const { file: found } of filesInOrder([file])) for await (const _ of found.bytes);
    assert.ok(read < bytes.length * 1.1, `${read} of ${bytes.length} bytes`);
  });
});
