import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';

/** An object, as a list of the bucket describes it. */
export interface ListedS3Object {
  readonly key: string;
  /** Bytes. */
  readonly length: number;
  readonly lastModified: Date;
  /** As the server has written it. */
  readonly etag: string | undefined;
}

export interface ListedS3Page {
  readonly objects: readonly ListedS3Object[];
  /** The folders directly below, as prefixes of keys. Each ends with the requested delimiter. */
  readonly folders: readonly string[];
  /** The continuation token of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/**
 * Reads a response to ListObjectsV2 with `EncodingType: 'url'`. Returns the problem if it is invalid, as words that
 * follow the name of the server. A response that was cut off may still be valid XML, and objects that it lacks must not
 * count as deleted.
 */
export function readList(
  answer: ListObjectsV2CommandOutput,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): ListedS3Page | string {
  const { Contents = [], CommonPrefixes = [], KeyCount, IsTruncated, NextContinuationToken, Name } = answer;
  // Amazon counts folders, too; other servers do not.
  const counts = [Contents.length, Contents.length + CommonPrefixes.length];
  if (Name !== bucket || KeyCount === undefined || !counts.includes(KeyCount) || IsTruncated === undefined) {
    return 'sent a part of a list only, or no list';
  }
  if (IsTruncated && !NextContinuationToken) return 'does not say where its list goes on';
  const decode = answer.EncodingType === 'url' ? decodeKey : (key: string | undefined) => key;
  const objects: ListedS3Object[] = [];
  for (const { Key, Size, LastModified, ETag } of Contents) {
    const key = decode(Key);
    if (!key?.startsWith(prefix) || Size === undefined || Number.isNaN(LastModified?.getTime() ?? Number.NaN)) {
      return 'listed an object without key, size or time, or another prefix';
    }
    objects.push({ key, length: Size, lastModified: LastModified!, etag: ETag });
  }
  const folders: string[] = [];
  for (const { Prefix } of CommonPrefixes) {
    const folder = decode(Prefix);
    if (!folder?.startsWith(prefix)) return 'listed another prefix';
    folders.push(folder);
  }
  return { objects, folders, next: IsTruncated ? NextContinuationToken : undefined };
}

function decodeKey(key: string | undefined): string | undefined {
  try {
    return key === undefined ? undefined : decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
