import { hash } from 'node:crypto';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../domain/hash.ts';

const DIGITS: Readonly<Record<HashAlgorithm, number>> = { 'sha-256': 64, 'sha-1': 40, md5: 32 };
const NAMES: Readonly<Record<HashAlgorithm, string>> = { 'sha-256': 'sha256', 'sha-1': 'sha1', md5: 'md5' };

/** The digests that a set needs of a document: SHA-256, by which documents are compared, and what else it publishes. As one text, the strongest first. */
export class RecordDigests {
  readonly algorithms: readonly HashAlgorithm[];

  constructor(publishHashes: readonly HashAlgorithm[]) {
    this.algorithms = HASH_ALGORITHMS.filter((one) => one === 'sha-256' || publishHashes.includes(one));
  }

  of(document: Uint8Array): string {
    let digests = '';
    for (const algorithm of this.algorithms) digests += hash(NAMES[algorithm], document, 'hex');
    return digests;
  }

  /** Whether hashes say the same, of every algorithm. */
  areIn(hashes: Hashes | undefined, digests: string): boolean {
    if (hashes === undefined) return false;
    let at = 0;
    for (const algorithm of this.algorithms) {
      if (!digests.startsWith(hashes[algorithm] ?? '-', at)) return false;
      at += DIGITS[algorithm];
    }
    return true;
  }

  toHashes(digests: string): Hashes {
    const hashes: Partial<Record<HashAlgorithm, string>> = {};
    let at = 0;
    for (const algorithm of this.algorithms) {
      hashes[algorithm] = digests.slice(at, at + DIGITS[algorithm]);
      at += DIGITS[algorithm];
    }
    return hashes;
  }
}
