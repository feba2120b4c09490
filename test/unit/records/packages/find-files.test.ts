import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { SEND } from '../../../../src/records/forms/foreign-forms.ts';
import { findRecordFiles } from '../../../../src/records/forms/identify.ts';
import { DamagedFile, type FoundFile } from '../../../../src/records/packages/found-file.ts';
import type { UnpackOptions } from '../../../../src/records/packages/unpacking.ts';
import { given, marc, tar, zip } from '../../../support/upload-packages.ts';

interface Seen extends Omit<FoundFile, 'bytes'> {
  readonly text: string;
  readonly damage?: string;
}

/** What is found in a file, read to its end. */
async function find(
  bytes: Buffer,
  options: Omit<UnpackOptions, 'identify'> & { readonly chunk?: number } = {},
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { bytes: contents, ...file } of findRecordFiles(given(bytes, options.chunk), options)) {
    const chunks: Buffer[] = [];
    let damage: string | undefined;
    try {
      for await (const chunk of contents) chunks.push(chunk);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      damage = error.message;
    }
    seen.push({ ...file, text: Buffer.concat(chunks).toString('latin1'), ...(damage !== undefined && { damage }) });
  }
  return seen;
}

/** Path and kind of each, and the reason of what is unknown. */
async function summary(bytes: Buffer, options: Omit<UnpackOptions, 'identify'> = {}): Promise<string[]> {
  const found = await find(bytes, options);
  return found.map(
    ({ path, kind, reason }) => `${path.join(' > ')}: ${kind}${reason === undefined ? '' : `: ${reason}`}`,
  );
}

const RECORD = marc('1');
const RECORDS = Buffer.concat([marc('1'), marc('2')]);

describe('files of an upload', () => {
  it('finds a file that is not a package, whole, however it arrives', async () => {
    for (const chunk of [1, 7, 100_000]) {
      const [file, ...others] = await find(RECORDS, { chunk });
      assert.deepEqual(
        [file, others],
        [{ path: ['given'], packing: [], kind: 'marc21', text: RECORDS.toString('latin1') }, []],
      );
    }
  });

  it('unpacks gzip, gzip in gzip, and several members one after another', async () => {
    const members = Buffer.concat([gzipSync(marc('1')), gzipSync(marc('2'))]);
    for (const bytes of [gzipSync(RECORDS), gzipSync(gzipSync(RECORDS)), members]) {
      const [file, ...others] = await find(bytes, { chunk: 10 });
      assert.deepEqual([file?.path, file?.kind, others], [['given'], 'marc21', []]);
      assert.equal(file!.text, RECORDS.toString('latin1'));
    }
  });

  it('compares each member of a gzip with its checksum and its length', async () => {
    for (const back of [8, 4]) {
      const [first, second] = [gzipSync(marc('1')), gzipSync(marc('2'))];
      for (const member of [first, second]) {
        const wrong = Buffer.from(member);
        wrong[wrong.length - back]! ^= 1;
        const bytes = Buffer.concat(member === first ? [wrong, second] : [first, wrong]);
        const [file] = await find(bytes);
        assert.match(file!.damage!, /^it is damaged before byte \d+ of what is packed: its checksum is wrong$/);
      }
    }
  });

  it('passes over what the header of a gzip may have', async () => {
    const plain = gzipSync(RECORDS);
    const [extra, name, comment, checksum] = ['\x03\0\x1f\0x', 'name\0', 'comment\0', 'cc'];
    for (const [flags, fields] of [
      [0x1e, extra + name + comment + checksum],
      [0x04, extra],
      [0x12, comment + checksum],
    ] as const) {
      const head = Buffer.from(plain.subarray(0, 10));
      head[3] = flags;
      const bytes = Buffer.concat([head, Buffer.from(fields, 'latin1'), plain.subarray(10)]);
      assert.deepEqual(await summary(bytes), await summary(plain));
      assert.equal((await find(bytes))[0]!.damage, undefined);
    }
  });

  it('passes over the zeros of a tape behind gzip, however many @long', async () => {
    const zeros = Buffer.alloc(1024 * 1024);
    async function* read() {
      yield gzipSync(marc('1'));
      for (let at = 0; at < 128; at++) yield zeros;
      yield gzipSync(marc('2'));
    }
    const texts: string[] = [];
    for await (const { bytes } of findRecordFiles({ name: 'given', read }))
      texts.push((await buffer(bytes)).toString('latin1'));
    assert.deepEqual(texts, [RECORDS.toString('latin1')]);
  }).timeout(30_000);

  it('opens packages in packages to a depth of 3, and a tar in gzip counts as one', async () => {
    const three = gzipSync(zip({ 'b.tar': tar({ 'c.mrc': RECORD }) }));
    assert.deepEqual(await summary(three), ['given > b.tar > c.mrc: marc21']);
    const tarred = zip({ 'a.tgz': gzipSync(tar({ 'b.mrc.gz': gzipSync(RECORD) })) });
    assert.deepEqual(await summary(tarred), ['given > a.tgz > b.mrc.gz: marc21']);
    assert.deepEqual((await find(tarred))[0]!.packing, ['zip', 'gzip', 'tar', 'gzip']);
    assert.deepEqual(await summary(gzipSync(gzipSync(gzipSync(gzipSync(RECORD))))), [
      'given: unknown: packages in packages are opened to a depth of 3: pack it more simply',
    ]);
  });

  it('finds each file of a tar and of a ZIP in its order, with what it is', async () => {
    const files = { 'z.txt': '1\n2\n', 'folder/a.delete': RECORDS, 'empty.mrc': '', 'b.pdf': '%PDF-1.4' };
    for (const bytes of [tar(files), gzipSync(tar(files)), zip(files), zip(files, { method: 0 })]) {
      const found = await find(bytes);
      assert.deepEqual(
        found.map(({ path, kind, reason, text }) => [path[1], kind, reason, text]),
        [
          ['z.txt', 'deleted-ids', undefined, '1\n2\n'],
          ['folder/a.delete', 'marc21', undefined, RECORDS.toString('latin1')],
          ['empty.mrc', 'unknown', 'it is empty', ''],
          ['b.pdf', 'unknown', `it is a PDF: ${SEND}`, ''],
        ],
      );
    }
  });

  it('finds the next file also when one was not read, or not to its end', async () => {
    const files = { a: Buffer.concat(Array.from({ length: 20_000 }, (_, id) => marc(String(id)))), b: RECORD };
    for (const bytes of [tar(files), gzipSync(tar(files)), zip(files)]) {
      for (const most of [0, 1]) {
        const names: (string | undefined)[] = [];
        for await (const { path, bytes: contents } of findRecordFiles(given(bytes))) {
          let chunks = 0;
          if (most > 0) for await (const _ of contents) if (++chunks === most) break;
          names.push(path[1]);
        }
        assert.deepEqual(names, ['a', 'b']);
      }
    }
  });

  it('shows names in packages cleaned, and opens nothing by them', async () => {
    const names = ['../../etc/passwd', '/root/a', 'C:\\x\\..\\y', 'a\u001b[2Jb', '../files/', `${'d/'.repeat(40)}end`];
    const files = Object.fromEntries(names.map((name) => [name, RECORD]));
    const shown = ['etc/passwd', 'root/a', 'C:/x/y', 'a\ufffd[2Jb', `${'d/'.repeat(40)}end`];
    const paths = async (bytes: Buffer) => (await find(bytes)).map(({ path }) => path[1]);
    assert.deepEqual(await paths(zip(files)), shown);
    assert.deepEqual(await paths(tar(files)), shown);
    assert.deepEqual(await paths(zip({ '': RECORD })), ['(no name)']);
  });

  it('reads long names and large numbers as GNU tar and pax write them', async () => {
    const name = `${'folder/'.repeat(30)}a.mrc`;
    assert.deepEqual(
      (await find(tar({ '././@LongLink': { type: 'L', text: `${name}\0` }, short: RECORD }))).map(
        ({ path }) => path[1],
      ),
      [name],
    );
    const pax = `${name.length + 10} path=${name}\n`;
    assert.deepEqual(
      (await find(tar({ PaxHeaders: { type: 'x', text: pax }, short: RECORD, next: RECORD }))).map(
        ({ path }) => path[1],
      ),
      [name, 'next'],
    );
    assert.deepEqual(
      (await find(tar({ a: { text: RECORD, binarySize: true } }))).map(({ text }) => text),
      [RECORD.toString('latin1')],
    );
  });

  it('reports links and devices, passes over folders and what macOS adds', async () => {
    const appleDouble = Buffer.concat([Buffer.from([0, 5, 0x16, 7]), Buffer.alloc(100)]);
    const bytes = tar({
      ...{ 'folder/': { type: '5' }, link: { type: '2' }, hard: { type: '1' }, '/dev/null': { type: '3' } },
      ...{ '._a.mrc': appleDouble, '.DS_Store': '\0\0\0\x01Bud1\0', 'a.mrc': RECORD },
    });
    assert.deepEqual(await summary(bytes), [
      'given > link: unknown: it is a link, which is not followed: pack the file itself',
      'given > hard: unknown: it is a link, which is not followed: pack the file itself',
      'given > dev/null: unknown: it is a device, and no file',
      'given > a.mrc: marc21',
    ]);
    assert.deepEqual(await summary(zip({ 'f/': '', '__MACOSX/._a': appleDouble, a: RECORD })), ['given > a: marc21']);
    // Not by its name: a record file may have any.
    assert.deepEqual(await summary(zip({ '._a': RECORD })), ['given > ._a: marc21']);
    assert.match((await summary(appleDouble))[0]!, /^given: unknown: it has nothing but what macOS keeps/);
  });

  it('reports files in a ZIP that are encrypted, or packed in another way, and reads the others', async () => {
    const bytes = zip(
      { secret: RECORD, new: RECORD, large: RECORD, a: RECORD },
      { secret: { flags: 1 }, new: { method: 93 }, large: { method: 9 } },
    );
    assert.deepEqual(await summary(bytes), [
      'given > secret: unknown: it is encrypted: pack it without a password',
      'given > new: unknown: it is packed with Zstandard: pack it with Deflate, as most programs do',
      'given > large: unknown: it is packed with Deflate64: pack it with Deflate, as most programs do',
      'given > a: marc21',
    ]);
  });

  it('reads of a gzip that breaks off or is damaged what came before', async () => {
    const text = Buffer.concat(Array.from({ length: 2_000 }, (_, id) => marc(String(id))));
    const packed = gzipSync(text);
    const [cut] = await find(packed.subarray(0, -1000));
    assert.equal(cut!.damage, `it breaks off: it ends early, at byte ${packed.length - 1000} of what is packed`);
    assert.ok(cut!.text.length > text.length / 2 && text.toString('latin1').startsWith(cut!.text));
    const [withoutSum] = await find(packed.subarray(0, -4));
    assert.equal(withoutSum!.text.length, text.length);
    const trailing = await find(Buffer.concat([gzipSync(RECORDS), Buffer.from('something else')]));
    assert.equal(trailing[0]!.text, RECORDS.toString('latin1'));
    assert.match(trailing[0]!.damage!, /^something else than gzip follows at byte \d+ of what is packed$/);
    assert.match(
      (await summary(packed.subarray(0, 5)))[0]!,
      /^given: unknown: it breaks off: it ends early, at byte 5/,
    );
  });

  it('reads of a tar that breaks off or is damaged what came before, and says so of the tar', async () => {
    const bytes = tar({ a: RECORDS, b: RECORDS, c: RECORD });
    const end = 512 + 512 + 512 + RECORD.length;
    for (const form of [bytes.subarray(0, end), gzipSync(bytes.subarray(0, end))]) {
      const [a, b, all, ...others] = await find(form, { chunk: 50 });
      assert.deepEqual([a!.text, a!.damage], [RECORDS.toString('latin1'), undefined]);
      assert.equal(b!.text, RECORD.toString('latin1'));
      assert.equal(b!.damage, `it breaks off: it ends early, at byte ${end} of the tar`);
      assert.deepEqual([all!.path, all!.kind, all!.reason], [['given'], 'unknown', b!.damage]);
      assert.deepEqual(others, []);
    }
    const damaged = Buffer.from(bytes);
    damaged.write('x', 1024 + 150);
    assert.deepEqual(await summary(damaged), [
      'given > a: marc21',
      'given: unknown: it is damaged at byte 1024 of the tar (no header of a file), and is not read on',
    ]);
    const gzip = gzipSync(bytes);
    const found = await summary(gzip.subarray(0, gzip.length - 10));
    assert.deepEqual(found.slice(0, 1), ['given > a: marc21']);
    assert.match(found.at(-1)!, /^given: unknown: it breaks off: it ends early, at byte \d+ of what is packed$/);
  });

  it('says of a ZIP that breaks off that its directory is missing', async () => {
    const bytes = zip({ a: RECORD, b: RECORD });
    assert.deepEqual(await summary(bytes.subarray(0, -30)), [
      'given: unknown: it is not a readable ZIP file: its directory, which is at its end, is missing, ' +
        'as when only a part of it was sent',
    ]);
  });

  it('compares files in a ZIP with their lengths and checksums', async () => {
    const [file] = await find(zip({ a: RECORDS }, { method: 0, a: { crc: 1 } }));
    assert.equal(file!.damage, 'it is damaged: its checksum is not the one in the ZIP');
    const [long] = await find(zip({ a: RECORDS }, { a: { length: RECORDS.length + 1 } }));
    assert.match(long!.damage!, /^it breaks off: it has \d+ of the \d+ bytes that the ZIP says$/);
    const [short] = await find(zip({ a: RECORDS }, { a: { length: 10 } }));
    assert.equal(short!.reason, 'it has more than the 10 bytes that the ZIP says');
  });

  it('reads a ZIP by ranges where it can, and else from a copy', async () => {
    const bytes = zip({ a: RECORD, 'b.zip': zip({ c: RECORDS }) });
    const expected = ['given > a: marc21', 'given > b.zip > c: marc21'];
    assert.deepEqual(await summary(bytes), expected);
    const found: string[] = [];
    const { read, name } = given(bytes);
    for await (const { path, kind } of findRecordFiles({ read, name })) found.push(`${path.join(' > ')}: ${kind}`);
    assert.deepEqual(found, expected);
  });

  it('closes all that it opened, also of files that were not read to their ends', async () => {
    const unread = Buffer.concat([Buffer.from('%PDF-'), randomBytes(1_000_000)]);
    const records = Buffer.concat(Array.from({ length: 20_000 }, (_, id) => marc(String(id))));
    const files = { a: unread, b: records, 'c.zip': zip({ d: unread, e: records }), f: records };
    for (const bytes of [zip(files), zip(files, { method: 0 }), tar(files), gzipSync(tar(files))]) {
      for (const most of [1, 2, 3, 10]) {
        let open = 0;
        const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
          open += 1;
          try {
            yield* chunks;
          } finally {
            open -= 1;
          }
        };
        const { name, read, ranges } = given(bytes, 5000);
        const file = {
          ...{ name, read: () => counted(read()) },
          ranges: { ...ranges!, read: (start: number, length: number) => counted(ranges!.read(start, length)) },
        };
        let found = 0;
        for await (const { bytes: contents } of findRecordFiles(file)) {
          for await (const _ of contents) break;
          if (++found === most) break;
        }
        assert.equal(open, 0);
      }
    }
  });

  it('stops unpacking what becomes too large @long', async () => {
    const bomb = gzipSync(Buffer.concat([RECORD, Buffer.alloc(20_000_000, '1')]));
    const limits = { freeBytes: 1_000_000, ratio: 500 };
    const [file] = await find(bomb, { limits });
    assert.match(file!.damage!, /^it unpacks to more than 500 times its size, as what is meant to do harm does/);
    assert.ok(file!.text.length < 12_000_000, String(file!.text.length));
    // What is below the limits is read.
    assert.equal(
      (await find(bomb, { limits: { ...limits, ratio: 2000 } }))[0]!.text.length,
      RECORD.length + 20_000_000,
    );
    for (const wrapped of [tar({ a: bomb }), zip({ a: bomb }), zip({ a: Buffer.alloc(20_000_000, '1\n') })]) {
      const damages = (await find(wrapped, { limits })).map(({ damage }) => damage);
      assert.match(String(damages), /500 times its size/);
    }
    // A ZIP in another package is copied to a disk.
    const inner = zip({ a: RECORD, zeros: Buffer.alloc(20_000_000, '1\n') }, { method: 0 });
    for (const outer of [zip({ inner }), gzipSync(inner)]) {
      const reasons = (await find(outer, { limits: { freeBytes: 1_000_000 } })).map(({ reason }) => reason);
      assert.match(String(reasons), /20 times its size/);
    }
    const unread = gzipSync(tar({ a: Buffer.alloc(20_000_000), b: RECORD }));
    assert.match(
      (await summary(unread, { limits }))[1]!,
      /^given: unknown: it unpacks to more than 500 times its size/,
    );
    const total = await find(gzipSync(Buffer.alloc(3_000_000, '1\n')), { limits: { bytes: 2_000_000 } });
    assert.equal(total[0]!.damage, 'it unpacks to more than 2.00 MB: send it as several files');
    const many = tar(Object.fromEntries(Array.from({ length: 11 }, (_, name) => [String(name), RECORD])));
    const names = await summary(many, { limits: { entries: 10 } });
    assert.equal(names.length, 11);
    assert.equal(names.at(-1), 'given: unknown: it has more than 10 files: send several packages');
  });

  it('passes on what the given file throws', async () => {
    const broken = async function* () {
      yield RECORD;
      throw new TypeError('the disk');
    };
    const read = async () => {
      for await (const { bytes } of findRecordFiles({ name: 'given', read: broken })) await buffer(bytes);
    };
    await assert.rejects(read, /the disk/);
    const ranges = { length: 1000, read: broken };
    const asZip = {
      name: 'given',
      ranges,
      read: async function* () {
        yield Buffer.from('PK\x03\x04');
      },
    };
    await assert.rejects(async () => {
      for await (const _ of findRecordFiles(asZip));
    }, TypeError);
  });

  it('reads each byte of a ZIP of many small files at most twice, in few ranges', async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => [`${at}.del`, '1\n2\n'] as const);
    const { name, read, ranges } = given(zip(Object.fromEntries(names), { method: 0 }));
    const { length } = ranges!;
    const asked: number[] = [];
    const counted = (start: number, bytes: number) => {
      asked.push(bytes);
      return ranges!.read(start, bytes);
    };
    let files = 0;
    for await (const { bytes } of findRecordFiles({ name, read, ranges: { length, read: counted } })) {
      files += (await buffer(bytes)).length === 4 ? 1 : 0;
    }
    assert.equal(files, names.length);
    const sum = asked.reduce((total, bytes) => total + bytes, 0);
    assert.ok(sum < 2 * length && asked.length < 10, `${sum} of ${length} bytes in ${asked.length} ranges`);
  });

  it('passes on the failure of each range of a ZIP, and takes none for damage of a file', async () => {
    // Longer than what is read at once, so that not all is in one range.
    const long = randomBytes(400_000);
    const bytes = zip({ a: long, b: RECORD, c: long, d: RECORD, e: long }, { method: 0 });
    const { name, read, ranges } = given(bytes);
    let asked = 0;
    const failingAt = async (number: number) => {
      asked = 0;
      const readOrFail = (start: number, length: number) => {
        if (++asked === number) throw new TypeError('the disk');
        return ranges!.read(start, length);
      };
      const file = { name, read, ranges: { length: bytes.length, read: readOrFail } };
      for await (const { bytes: contents } of findRecordFiles(file)) await buffer(contents);
    };
    await failingAt(0);
    const all = asked;
    assert.ok(all > 3, `${all} ranges`);
    for (let number = 1; number <= all; number++) {
      await assert.rejects(failingAt(number), /the disk/, `range ${number}`);
    }
  });
});
