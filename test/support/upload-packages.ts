import { crc32, deflateRawSync } from 'node:zlib';
import type { GivenFile } from '../../src/records/packages/found-file.ts';

const FIELD_END = '\x1e';
const RECORD_END = '\x1d';

/** A record of MARC21 with its id and, if that is given, a note. */
export function marc(id: string, note?: string): Buffer {
  const fields = [`${id}${FIELD_END}`, ...(note === undefined ? [] : [`  \x1fa${note}${FIELD_END}`])];
  let start = 0;
  const directory = fields.map((field, at) => {
    const entry = [at === 0 ? '001' : '500', String(field.length).padStart(4, '0'), String(start).padStart(5, '0')];
    start += field.length;
    return entry.join('');
  });
  const base = String(24 + 12 * fields.length + 1).padStart(5, '0');
  const body = `${directory.join('')}${FIELD_END}${fields.join('')}${RECORD_END}`;
  return Buffer.from(`${String(24 + body.length).padStart(5, '0')}nam a22${base}   4500${body}`);
}

/** A file that arrives in chunks of so many bytes, and can be read by ranges. */
export function given(bytes: Buffer, chunk = 100_000): GivenFile {
  const read = async function* (start: number, end: number) {
    for (let at = start; at < end; at += chunk) yield bytes.subarray(at, Math.min(at + chunk, end));
  };
  return {
    name: 'given',
    read: () => read(0, bytes.length),
    ranges: { length: bytes.length, read: (start, length) => read(start, Math.min(start + length, bytes.length)) },
  };
}

type Content = string | Buffer;

interface OddEntry {
  readonly type?: string;
  readonly text?: Content;
  /** Writes the size as GNU tar does it for large files. */
  readonly binarySize?: boolean;
}

/** A tar of entries that may be odd: what programs for tar write, other tests have. */
export function tar(entries: Readonly<Record<string, Content | OddEntry>>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, entry]) => {
    const { type = '0', text = '', binarySize = false } = isContent(entry) ? { text: entry } : entry;
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    if (binarySize) {
      header[124] = 0x80;
      header.writeUInt32BE(content.length, 132);
    } else header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write(`        ${type}`, 148);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc(-content.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const isContent = (entry: Content | OddEntry): entry is Content => typeof entry === 'string' || Buffer.isBuffer(entry);

interface OddFile {
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  /** What it says to be the length after unpacking. */
  readonly length?: number;
}

/** A ZIP whose files may be odd. */
export function zip(
  files: Readonly<Record<string, Content>>,
  { method: usual = 8, ...odd }: { readonly method?: number } & Readonly<Record<string, number | OddFile>> = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const { flags = 0, method = usual, crc = crc32(content), length = content.length } = oddFile(odd[name]);
    const packed = method === 0 ? content : deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800 | flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name));
    const local = [Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const oddFile = (one: number | OddFile | undefined): OddFile => (typeof one === 'object' ? one : {});
