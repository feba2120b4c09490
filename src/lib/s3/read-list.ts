import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';

/** An object as a list describes it. */
export interface ListedS3Object {
  readonly key: string;
  /** Bytes. */
  readonly length: number;
  readonly lastModified: Date;
  /** As the server wrote it. */
  readonly etag: string | undefined;
}

export interface ListedS3Page {
  readonly objects: readonly ListedS3Object[];
  /** What the keys of folders right below begin with, each ending with the delimiter that was asked for. */
  readonly folders: readonly string[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/**
 * Reads one answer to ListObjectsV2, requested with `EncodingType: 'url'`; or returns what is wrong with it, in words
 * that follow the server's name. An answer that was cut off may still be a valid list: what it lacks must not be taken
 * for deleted.
 */
export function readList(
  answer: ListObjectsV2CommandOutput,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): ListedS3Page | string {
  const { Contents = [], CommonPrefixes = [], KeyCount, IsTruncated, NextContinuationToken, Name } = answer;
  // Amazon counts folders, too; others do not.
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
