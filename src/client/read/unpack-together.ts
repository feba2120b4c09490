import { gunzipSync } from 'node:zlib';

/** A file that is packed with DEFLATE, as a ZIP file contains it. */
export interface PackedFile {
  readonly packed: Uint8Array;
  /** Length of the unpacked bytes, and their CRC-32. */
  readonly bytes: number;
  readonly crc32: number;
}

/** Of a member of a gzip file (RFC 1952, 2.3): its magic number, DEFLATE, no name, no time, an unknown system. */
const HEADER = Buffer.from('1f8b08000000000000ff', 'hex');

/**
 * Unpacks small files by one call, as the members of a gzip file. For each call, Node makes a stream, which takes more
 * time than unpacking 1 kB, and stays in memory until the old generation is collected.
 * @throws when one of them is damaged
 */
export function unpackTogether(files: readonly PackedFile[]): readonly Buffer[] {
  const members = files.flatMap((file) => [HEADER, file.packed, trailerOf(file)]);
  const length = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const unpacked = gunzipSync(Buffer.concat(members), { maxOutputLength: length + 1, chunkSize: length + 64 });
  if (unpacked.length !== length) throw new Error('a file in it ends too early');
  let end = 0;
  return files.map(({ bytes }) => {
    end += bytes;
    return unpacked.subarray(end - bytes, end);
  });
}

function trailerOf({ crc32, bytes }: PackedFile): Buffer {
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc32);
  trailer.writeUInt32LE(bytes, 4);
  return trailer;
}
