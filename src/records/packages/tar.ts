import { DamagedFile } from './found-file.ts';
import type { Lookahead } from './lookahead.ts';

// POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header"; GNU tar, "Basic Tar Format".

const BLOCK_BYTES = 512;
/** Most bytes of a long name, or of the extended header of a file. */
const MOST_HEADER_BYTES = 1024 * 1024;
/** The length of a record in such a header, and the blank behind it. */
const RECORD_LENGTH = /^(\d{1,7}) /;
const MOST_LENGTH_CHARACTERS = 8;

type TarKind = 'file' | 'folder' | 'link' | 'device' | 'other';

interface TarEntry {
  /** The name in the tar: see clean-name.ts. */
  readonly name: string;
  readonly kind: TarKind;
  /**
   * The bytes of a file, to be read before the next entry is requested. @throws DamagedFile where the tar ends early
   */
  readonly bytes: AsyncIterable<Buffer>;
}

const KINDS: Readonly<Record<string, TarKind>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '3': 'device',
  '4': 'device',
  '5': 'folder',
  '6': 'device',
};

interface Header {
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** Whether bytes begin as a tar does: with a header whose checksum is right. */
export function beginsAsTar(head: Buffer): boolean {
  return head.length >= BLOCK_BYTES && headerOf(head.subarray(0, BLOCK_BYTES)) !== undefined;
}

/** The files, folders, links and devices of a tar. @throws DamagedFile */
export async function* readTar(input: Lookahead): AsyncGenerator<TarEntry, void, undefined> {
  // What extended headers state about the next entry, and about all later ones.
  let next: Extended = {};
  let all: Extended = {};
  for (;;) {
    const place = input.position;
    const block = await input.take(BLOCK_BYTES);
    // Some programs leave out the blocks of zeros at the end.
    if (block.length === 0) return;
    if (block.every((byte) => byte === 0)) continue;
    if (block.length < BLOCK_BYTES) throw endsEarly(input);
    const header = headerOf(block);
    if (header === undefined) {
      throw new DamagedFile(`it is damaged at byte ${place} of the tar (no header of a file), and is not read on`);
    }
    if ('xgLK'.includes(header.type)) {
      const extended = await readExtended(input, header);
      if (header.type === 'g') all = { ...all, ...extended };
      else next = { ...next, ...extended };
      continue;
    }
    const { name = header.name, size = header.size } = { ...all, ...next };
    next = {};
    const kind = KINDS[header.type] ?? 'other';
    // A link or a folder has no bytes, whatever its header says.
    const length = kind === 'file' || kind === 'other' ? size : 0;
    const end = input.position + length;
    // Old programs have no type for folders.
    yield { name, kind: name.endsWith('/') ? 'folder' : kind, bytes: bytesUntil(input, end) };
    await skipTo(input, end + paddingOf(length));
  }
}

interface Extended {
  readonly name?: string;
  readonly size?: number;
}

async function readExtended(input: Lookahead, { type, size }: Header): Promise<Extended> {
  if (size > MOST_HEADER_BYTES) {
    throw new DamagedFile(`it is damaged near byte ${input.position} of the tar (a header of ${size} bytes)`);
  }
  const body = await input.take(size);
  if (body.length < size) throw endsEarly(input);
  await skipTo(input, input.position + paddingOf(size));
  if (type === 'L') return { name: textOf(body) };
  // K is the target of a link.
  return type === 'K' ? {} : recordsOf(body);
}

/** Each record is `LENGTH KEY=VALUE` and a line feed. */
function recordsOf(body: Buffer): Extended {
  let extended: Extended = {};
  for (let at = 0; at < body.length; ) {
    const [prefix, digits] = RECORD_LENGTH.exec(body.toString('latin1', at, at + MOST_LENGTH_CHARACTERS)) ?? [];
    const length = Number(digits);
    if (prefix === undefined || length <= prefix.length) break;
    const [key = '', ...value] = body.toString('utf8', at + prefix.length, at + length - 1).split('=');
    if (key === 'path') extended = { ...extended, name: value.join('=') };
    if (key === 'size' && /^\d{1,15}$/.test(value[0] ?? '')) extended = { ...extended, size: Number(value[0]) };
    at += length;
  }
  return extended;
}

function headerOf(block: Buffer): Header | undefined {
  const size = numberOf(block.subarray(124, 136));
  const checksum = numberOf(block.subarray(148, 156));
  if (size === undefined || checksum === undefined || block[0] === 0) return undefined;
  // The checksum field counts as blanks; old programs summed signed bytes.
  let [sum, signed] = [8 * 32, 8 * 32];
  for (let at = 0; at < BLOCK_BYTES; at++) {
    if (at >= 148 && at < 156) continue;
    sum += block[at]!;
    signed += block.readInt8(at);
  }
  if (checksum !== sum && checksum !== signed) return undefined;
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textOf(block.subarray(345, 500)) : '';
  const name = textOf(block.subarray(0, 100));
  return { name: prefix === '' ? name : `${prefix}/${name}`, type: String.fromCharCode(block[156]!), size };
}

/** Octal digits, or (GNU) a binary number when the first bit is set. Undefined when it is not a number. */
function numberOf(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const number = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const digits = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits === '' ? '0' : digits, 8);
}

/** The text up to the first zero. */
function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

const paddingOf = (length: number): number => -length & (BLOCK_BYTES - 1);

async function* bytesUntil(input: Lookahead, end: number): AsyncGenerator<Buffer, void, undefined> {
  while (input.position < end) {
    const bytes = await input.read(end - input.position);
    if (bytes.length === 0) throw endsEarly(input);
    yield bytes;
  }
}

async function skipTo(input: Lookahead, end: number): Promise<void> {
  for await (const _ of bytesUntil(input, end));
}

function endsEarly({ position }: Lookahead): DamagedFile {
  return new DamagedFile(`it breaks off: it ends early, at byte ${position} of the tar`);
}
