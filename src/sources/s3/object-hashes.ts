import type { Hashes } from '../../core/hash.ts';

/** The properties of an object that may contain hashes of all its bytes. */
export interface ObjectChecksums {
  readonly bucket: string;
  /** Without quotation marks. */
  readonly etag: string | undefined;
  readonly encryption: string | undefined;
  /** Whether it is encrypted with a key that each request has to contain (SSE-C). */
  readonly customerKey: boolean;
  readonly checksumType: string | undefined;
  /** Base64. */
  readonly sha256: string | undefined;
  /** Base64. */
  readonly sha1: string | undefined;
}

const MD5 = /^[0-9a-f]{32}$/i;

/**
 * The hashes that are known without reading the bytes. An ETag is the MD5 of the bytes when the object was put in one
 * piece (else it ends with `-` and the number of pieces) and is not encrypted with a key of KMS or of the customer. The
 * checksum of several pieces is a checksum of checksums.
 */
export function knownHashes(object: ObjectChecksums): Hashes {
  const sha256 = fullChecksum(object, object.sha256, 32);
  const sha1 = fullChecksum(object, object.sha1, 20);
  return {
    ...(sha256 !== undefined && { 'sha-256': sha256 }),
    ...(sha1 !== undefined && { 'sha-1': sha1 }),
    ...(hasPlainEtag(object) && { md5: object.etag!.toLowerCase() }),
  };
}

/** Whether an ETag has the form of an MD5. */
export function looksPlain(etag: string | undefined): boolean {
  return etag !== undefined && MD5.test(etag);
}

function hasPlainEtag({ bucket, etag, encryption, customerKey }: ObjectChecksums): boolean {
  // The ETags of directory buckets are random, and have the form of MD5s.
  if (bucket.endsWith('--x-s3')) return false;
  return looksPlain(etag) && !customerKey && !encryption?.startsWith('aws:kms');
}

function fullChecksum(
  { checksumType }: ObjectChecksums,
  base64: string | undefined,
  length: number,
): string | undefined {
  // A checksum of checksums ends with `-` and the number of pieces.
  if (base64 === undefined || checksumType === 'COMPOSITE' || !/^[A-Za-z0-9+/]+=*$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length ? bytes.toString('hex') : undefined;
}
