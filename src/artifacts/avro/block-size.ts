/**
 * Most bytes of a block before compression, unless it has a single record. Small blocks are fast to read by a range
 * request: blocks of 256 kB would make files of XML 4 % (deflate) or 9 % (zstandard) smaller, and blocks of 16 kB 10 to
 * 14 % larger.
 */
export const BLOCK_SIZE = 65_536;

/**
 * Most bytes of a block, compressed or not. Larger ones are rejected, so that a few bytes in a file cannot claim all
 * memory; several blocks are decompressed at a time. A record of this program has little more than 16 MB; other writers
 * begin a new block after 16 to 64 kB.
 */
export const LARGEST_BLOCK_MB = 64;
export const LARGEST_BLOCK = LARGEST_BLOCK_MB * 1024 * 1024;
