/** An entry of a ZIP file, whose bytes are stored. */
interface DirectoryEntry {
  readonly name: string;
  /** Position of its bytes in the file. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
}

const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

/**
 * Reads the central directory of a ZIP file that `ZipWriter` has made, with entries in memory that are not compressed,
 * and no need of Zip64 (APPNOTE 6.3.10, 4.3.12 and 4.3.16).
 * @param tail the last bytes of the file
 * @param length of the whole file, in bytes
 * @returns undefined when the directory begins before the tail
 * @throws RangeError when it is not such a file
 */
export function readDirectory(tail: Uint8Array, length: number): readonly DirectoryEntry[] | undefined {
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
  const end = bytes.length - END_BYTES;
  if (bytes.readUInt32LE(end) !== 0x06054b50) throw new RangeError('the directory has no end');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16) - (length - bytes.length);
  if (at < 0) return undefined;
  const entries: DirectoryEntry[] = [];
  for (let entry = 0; entry < count; entry++) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new RangeError(`entry ${entry} of the directory has no header`);
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const afterName = at + CENTRAL_BYTES + nameLength;
    // The local header has the same name and the same extra fields.
    const offset = bytes.readUInt32LE(at + 42) + LOCAL_BYTES + nameLength + extraLength;
    const name = bytes.toString('utf8', at + CENTRAL_BYTES, afterName);
    entries.push({ name, offset, length: bytes.readUInt32LE(at + 24) });
    at = afterName + extraLength;
  }
  return entries;
}
