import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { TidemarkError } from '../../core/errors.ts';
import { BLOCK_SIZE, LARGEST_BLOCK } from './block-size.ts';

/** Codecs of blocks, by their Avro names. `zstandard` needs Node 22.15, 23.8 or newer. */
export const CODECS = ['null', 'deflate', 'zstandard'] as const;
export type Codec = (typeof CODECS)[number];

interface Packing {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /** As `decompressSync`. */
  compressSync(bytes: Uint8Array): Uint8Array;
  decompress(bytes: Uint8Array): Promise<Uint8Array>;
  /** Decompresses in the calling thread. It takes half of the CPU time, but blocks the thread. */
  decompressSync(bytes: Uint8Array): Uint8Array;
}

// Large enough for a block in one piece: each piece is a round trip to a thread, which costs more than most of the
// decompression.
const compressing = { chunkSize: BLOCK_SIZE + 8_192 };
const decompressing = { ...compressing, maxOutputLength: LARGEST_BLOCK };

type Pack<Options> = (bytes: Uint8Array, options: Options) => Promise<Uint8Array>;
const deflate: Pack<zlib.ZlibOptions> = promisify(zlib.deflateRaw);
const inflate: Pack<zlib.ZlibOptions> = promisify(zlib.inflateRaw);

// The asynchronous functions run in zlib's threads: several blocks at a time, beside this thread.
const PACKINGS: Readonly<Record<Codec, Packing | undefined>> = {
  null: {
    compress: async (bytes) => bytes,
    compressSync: (bytes) => bytes,
    decompress: async (bytes) => bytes,
    decompressSync: (bytes) => bytes,
  },
  deflate: {
    compress: (bytes) => deflate(bytes, compressing),
    compressSync: (bytes) => zlib.deflateRawSync(bytes, compressing),
    decompress: (bytes) => inflate(bytes, decompressing),
    decompressSync: (bytes) => zlib.inflateRawSync(bytes, decompressing),
  },
  zstandard: zstandard(),
};

function zstandard(): Packing | undefined {
  if (typeof zlib.zstdCompress !== 'function') return undefined;
  const compress: Pack<zlib.ZstdOptions> = promisify(zlib.zstdCompress);
  const decompress: Pack<zlib.ZstdOptions> = promisify(zlib.zstdDecompress);
  return {
    compress: (bytes) => compress(bytes, zstandardOptions(bytes)),
    compressSync: (bytes) => zlib.zstdCompressSync(bytes, zstandardOptions(bytes)),
    decompress: (bytes) => decompress(bytes, decompressing),
    decompressSync: (bytes) => zlib.zstdDecompressSync(bytes, decompressing),
  };
}

/** Level 3, the default, takes 1.7 times as long, and makes files of MARC 5 % smaller. */
const LEVEL = 1;

/**
 * If zstd knows the length, it takes half of the time, and a fraction of the memory that it clears for a stream of
 * unknown length.
 */
function zstandardOptions({ length }: Uint8Array): zlib.ZstdOptions {
  const { ZSTD_c_compressionLevel, ZSTD_c_windowLog } = zlib.constants;
  const window = length <= BLOCK_SIZE && { [ZSTD_c_windowLog]: Math.log2(BLOCK_SIZE) };
  return { ...compressing, pledgedSrcSize: length, params: { [ZSTD_c_compressionLevel]: LEVEL, ...window } };
}

export function isCodec(text: string): text is Codec {
  return CODECS.some((codec) => codec === text);
}

/** @throws TidemarkError `invalid` when this Node does not have the codec */
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
