import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { mapInOrder } from '../../lib/map-in-order.ts';

/** RFC 1952, 2.3: deflate, no flags, no time, an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** A last block of deflate without any data. RFC 1951, 3.2.3 and 3.2.6 */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);
/** Parts of a file that are compressed at a time: Node has four threads for that, and other work for them. */
const AT_A_TIME = 2;

const deflateRaw: (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Buffer> = promisify(zlib.deflateRaw);

export interface GzipOptions {
  /** 1 to 9. */
  readonly level: number;
  /** Called with each part when its bytes are needed no more. */
  readonly onPacked?: ((part: Buffer) => void) | undefined;
}

/**
 * Compresses parts of a file at the same time, in zlib's threads. Each becomes blocks of deflate that end at a byte,
 * and all of them one member of gzip: several members would be allowed, but readers of Ruby, among others, end after
 * the first one, without an error.
 */
export async function* gzipParts(
  parts: AsyncIterable<Buffer>,
  { level, onPacked }: GzipOptions,
): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  let length = 0;
  const pack = async (part: Buffer): Promise<Uint8Array> => {
    checksum = zlib.crc32(part, checksum);
    length += part.length;
    const { Z_SYNC_FLUSH } = zlib.constants;
    const packed = await deflateRaw(part, { level, finishFlush: Z_SYNC_FLUSH, chunkSize: (part.length >> 1) + 1_024 });
    onPacked?.(part);
    return packed;
  };
  yield HEADER;
  yield* mapInOrder(parts, AT_A_TIME, pack);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  yield Buffer.concat([LAST_BLOCK, trailer]);
}
