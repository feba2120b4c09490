import { closeSync, openSync, readSync } from 'node:fs';

// The format: https://www.sqlite.org/walformat.html and https://www.sqlite.org/fileformat.html#the_write_ahead_log
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit of the magic number is 1 when checksums are of big-endian words. */
const MAGIC = 0x377f0682;
/** Frames that are read at once: 1 MB of pages of 8 kB. */
const FRAMES_AT_ONCE = 128;

type Checksum = readonly [number, number];

/**
 * Whether a write-ahead log has lost commits. SQLite ends it without an error at the first frame whose checksum is
 * wrong, as the last one is after a power failure. A frame behind that which continues the checksums of a commit was
 * written after that commit was durable: then that commit was lost, and by damage. What is lost of the last commit
 * looks like the end of a power failure. No process may have the store open.
 */
export function hasLostCommits(walFile: string): boolean {
  const file = openSync(walFile, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    const seed = checksum(header.subarray(0, 24), [0, 0], isBigEndian);
    const isValid = header.readUInt32BE(0) >>> 1 === MAGIC >>> 1 && isEqual(seed, storedAt(header, 24));
    return (
      isValid && hasGap(file, { seed, isBigEndian, pageBytes: header.readUInt32BE(8), salt: header.subarray(16, 24) })
    );
  } finally {
    closeSync(file);
  }
}

interface Log {
  readonly seed: Checksum;
  readonly isBigEndian: boolean;
  readonly pageBytes: number;
  /** Frames of an earlier use of the file have another one. */
  readonly salt: Buffer;
}

function hasGap(file: number, { seed, isBigEndian, pageBytes, salt }: Log): boolean {
  let before: { readonly stored: Checksum; readonly isCommit: boolean } = { stored: seed, isCommit: false };
  let isBroken = false;
  for (const frame of framesOf(file, FRAME_HEADER_BYTES + pageBytes)) {
    const [head, page] = [frame.subarray(0, 8), frame.subarray(FRAME_HEADER_BYTES)];
    const isCurrent = frame.subarray(8, 16).equals(salt);
    const stored = storedAt(frame, 16);
    const continues =
      isCurrent && isEqual(stored, checksum(page, checksum(head, before.stored, isBigEndian), isBigEndian));
    if (isBroken && before.isCommit && continues) return true;
    if (!continues) isBroken = true;
    before = { stored, isCommit: isCurrent && head.readUInt32BE(4) !== 0 };
  }
  return false;
}

function* framesOf(file: number, bytes: number): Generator<Buffer> {
  const buffer = Buffer.alloc(bytes * FRAMES_AT_ONCE);
  for (let at = HEADER_BYTES; ; ) {
    const read = readSync(file, buffer, 0, buffer.length, at);
    for (let start = 0; start + bytes <= read; start += bytes) yield buffer.subarray(start, start + bytes);
    if (read < buffer.length) return;
    at += read;
  }
}

function storedAt(bytes: Buffer, at: number): Checksum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function isEqual([first, second]: Checksum, other: Checksum): boolean {
  return first === other[0] && second === other[1];
}

/** Of bytes whose number is a multiple of 8. */
function checksum(bytes: Buffer, [first, second]: Checksum, isBigEndian: boolean): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0;
  }
  return [first, second];
}
