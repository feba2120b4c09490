import type { S3Location } from '../../lib/s3/s3-location.ts';
import { pathProblem } from '../../sources/name-problem.ts';
import { type S3Events, s3EventsSchema } from './s3-event-operation.ts';

/** The paths of a root in notifications. */
interface NotifiedPaths {
  readonly paths: readonly string[];
  readonly taken: number;
  readonly ignored: number;
}

interface NotifiedObject {
  readonly bucket: string;
  /** The unchanged key in the notification. */
  readonly key: string;
}

/** S3: a key has at most 1,024 bytes of UTF-8. */
const LONGEST_KEY = 1_024;

/** The paths below a root that notifications contain, each once. */
export function notifiedPaths(events: S3Events, root: Pick<S3Location, 'bucket' | 'prefix'>): NotifiedPaths {
  const paths = new Set<string>();
  let taken = 0;
  let ignored = 0;
  for (const object of objectsOf(events)) {
    const found = object === undefined ? [] : pathsOf(object, root);
    if (found.length > 0) taken += 1;
    else ignored += 1;
    for (const path of found) paths.add(path);
  }
  return { paths: [...paths], taken, ignored };
}

function objectsOf(events: S3Events): readonly (NotifiedObject | undefined)[] {
  if ('Records' in events && Array.isArray(events.Records)) return events.Records.map(({ s3 }) => objectOf(s3));
  if ('detail' in events) return [objectOf(events.detail as Notification)];
  if (typeof events.Message !== 'string') return [];
  const packed = s3EventsSchema.safeParse(parseJson(events.Message));
  // Envelopes do not contain envelopes.
  return packed.success && !('Message' in packed.data) ? objectsOf(packed.data) : [undefined];
}

interface Notification {
  readonly bucket?: { readonly name?: string | undefined } | undefined;
  readonly object?: { readonly key?: string | undefined } | undefined;
}

function objectOf(notification: Notification | undefined): NotifiedObject | undefined {
  const bucket = notification?.bucket?.name;
  const key = notification?.object?.key;
  return bucket === undefined || key === undefined ? undefined : { bucket, key };
}

/**
 * Most servers encode keys like forms do, with `+` for a blank; EventBridge, Ceph and versitygw do not. Where these
 * differ, both paths are returned, since checking a path that does not exist does no harm.
 */
function pathsOf({ bucket, key }: NotifiedObject, root: Pick<S3Location, 'bucket' | 'prefix'>): readonly string[] {
  if (bucket !== root.bucket) return [];
  const keys = new Set([key, decodeForm(key) ?? key]);
  return [...keys]
    .filter((key) => key.startsWith(root.prefix) && Buffer.byteLength(key) <= LONGEST_KEY)
    .map((key) => key.slice(root.prefix.length))
    .filter((path) => path !== '' && pathProblem(path) === undefined);
}

function decodeForm(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
