import { crc32 } from 'node:zlib';
import { formatCount } from '../../lib/format-count.ts';
import { DamagedFile } from './found-file.ts';
import { endsEarly, inflate } from './inflate.ts';
import type { Lookahead } from './lookahead.ts';

// RFC 1952. When something after a member is wrong, such as bytes that do not belong to the file, the Gunzip of Node
// reports that before it returns the last bytes of the member.

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const FLAGS_AT = 3;
const [HEADER_CHECKSUM, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];
/** Most bytes of the name, the comment or the extra field of a member. */
const MOST_FIELD_BYTES = 64 * 1024;
/** Bytes of padding that are skipped at a time. */
const MOST_PADDING_BYTES = 64 * 1024;
/** Each member takes some time, however small it is: of more members than this, the average length matters. */
const MOST_SMALL_MEMBERS = 10_000;
const LEAST_AVERAGE_BYTES = 100;

export const GZIP_MAGIC = '\x1f\x8b\x08';

/** The unpacked bytes of one or several gzip members. @throws DamagedFile after the bytes before the damage */
export async function* gunzip(input: Lookahead): AsyncGenerator<Buffer, void, undefined> {
  let members = 0;
  let total = 0;
  do {
    await skipHeader(input);
    let checksum = 0;
    let length = 0;
    for await (const chunk of inflate(input)) {
      checksum = crc32(chunk, checksum);
      length += chunk.length;
      yield chunk;
    }
    const trailer = await takeAll(input, TRAILER_BYTES);
    if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== length % 2 ** 32) {
      throw new DamagedFile(`it is damaged before byte ${input.position} of what is packed: its checksum is wrong`);
    }
    members += 1;
    total += length;
    if (members > MOST_SMALL_MEMBERS && total < members * LEAST_AVERAGE_BYTES) {
      throw new DamagedFile(`it has more than ${formatCount(MOST_SMALL_MEMBERS)} tiny members: pack it as one`);
    }
    await skipZeros(input);
  } while (await hasMember(input));
}

/** Tapes are padded with zeros. */
async function skipZeros(input: Lookahead): Promise<void> {
  while ((await input.peek(1))[0] === 0) {
    const bytes = await input.peek(MOST_PADDING_BYTES);
    let zeros = 0;
    while (bytes[zeros] === 0) zeros += 1;
    await input.skip(zeros);
  }
}

async function hasMember(input: Lookahead): Promise<boolean> {
  const magic = await input.peek(GZIP_MAGIC.length);
  if (magic.length === 0 && input.damage === undefined) return false;
  if (magic.toString('latin1') === GZIP_MAGIC) return true;
  throw input.damage ?? new DamagedFile(`something else than gzip follows at byte ${input.position} of what is packed`);
}

async function skipHeader(input: Lookahead): Promise<void> {
  const flags = (await takeAll(input, HEADER_BYTES))[FLAGS_AT]!;
  if (flags & EXTRA) await takeAll(input, (await takeAll(input, 2)).readUInt16LE(0));
  for (const text of [NAME, COMMENT]) {
    if (!(flags & text)) continue;
    const length = (await input.peek(MOST_FIELD_BYTES)).indexOf(0);
    if (length < 0) throw endsEarly(input);
    await input.skip(length + 1);
  }
  if (flags & HEADER_CHECKSUM) await input.skip(2);
}

async function takeAll(input: Lookahead, bytes: number): Promise<Buffer> {
  const taken = await input.take(bytes);
  if (taken.length < bytes) throw input.damage ?? endsEarly(input);
  return taken;
}
