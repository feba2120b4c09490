import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { TidemarkError } from '../domain/errors.ts';

/** How blocks are compressed, in Avro's names. `zstandard` needs a Node whose zlib has it: 22.15, 23.8 or newer. */
export const CODECS = ['null', 'deflate', 'zstandard'] as const;
export type Codec = (typeof CODECS)[number];

/** Bytes of one block, packed or not: larger ones are refused, so that a few bytes in a file cannot claim all memory. */
export const LARGEST_BLOCK = 512 * 1024 * 1024;

interface Packing {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  decompress(bytes: Uint8Array): Promise<Uint8Array>;
}

const maxOutputLength = LARGEST_BLOCK;

const deflate = promisify(zlib.deflateRaw);
const inflate = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflateRaw);

// zlib works in its threads: several blocks at a time, beside this one.
const PACKINGS: Readonly<Record<Codec, Packing | undefined>> = {
  null: { compress: async (bytes) => bytes, decompress: async (bytes) => bytes },
  deflate: { compress: (bytes) => deflate(bytes), decompress: (bytes) => inflate(bytes, { maxOutputLength }) },
  zstandard: zstandard(),
};

function zstandard(): Packing | undefined {
  if (typeof zlib.zstdCompress !== 'function') return undefined;
  const compress = promisify<Uint8Array, Uint8Array>(zlib.zstdCompress);
  const decompress = promisify<Uint8Array, zlib.ZstdOptions, Uint8Array>(zlib.zstdDecompress);
  return { compress: (bytes) => compress(bytes), decompress: (bytes) => decompress(bytes, { maxOutputLength }) };
}

export function isCodec(text: string): text is Codec {
  return CODECS.some((codec) => codec === text);
}

/** @throws TidemarkError `invalid` when this Node's zlib does not have it */
export function packingOf(codec: Codec): Packing {
  const packing = PACKINGS[codec];
  if (packing !== undefined) return packing;
  throw new TidemarkError(
    'invalid',
    `the codec ${codec} needs a newer Node (this one is ${process.version}): use ${availableCodecs().join(' or ')}`,
    { codec },
  );
}

/** The codecs that this Node has. */
export function availableCodecs(): readonly Codec[] {
  return CODECS.filter((codec) => PACKINGS[codec] !== undefined);
}
