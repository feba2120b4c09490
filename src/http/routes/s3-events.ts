import * as z from 'zod';
import { parsedJson } from '../../lib/parsed-json.ts';
import type { S3Location } from '../../lib/s3/s3-location.ts';
import { pathProblem } from '../../sources/name-problem.ts';

/** Notifications of S3 servers differ, and contain more fields; those that are not recognized are ignored. */

const objectSchema = z.looseObject({
  bucket: z.looseObject({ name: z.string().optional() }).optional(),
  object: z.looseObject({ key: z.string().optional() }).optional(),
});

const recordSchema = z.looseObject({ eventName: z.string().optional(), s3: objectSchema.optional() });

/** Amazon, MinIO, Ceph and others; Amazon tests the endpoint with a single `Event`. */
const notificationSchema = z.looseObject({ Records: z.array(recordSchema) }).meta({ id: 'S3Notification' });
const trialSchema = z.looseObject({ Event: z.literal('s3:TestEvent') }).meta({ id: 'S3TestEvent' });
/** Amazon EventBridge. */
const bridgedSchema = z
  .looseObject({ source: z.literal('aws.s3'), detail: objectSchema })
  .meta({ id: 'EventBridgeEvent' });
/** Amazon SNS, which wraps one of the others as a text. */
const envelopeSchema = z
  .looseObject({ Type: z.literal('Notification'), Message: z.string() })
  .meta({ id: 'SnsNotification' });

const EXAMPLE = {
  Records: [
    { eventName: 's3:ObjectCreated:Put', s3: { bucket: { name: 'papers' }, object: { key: '2026/a+file.pdf' } } },
  ],
};

export const s3EventsSchema = z
  .union([notificationSchema, trialSchema, bridgedSchema, envelopeSchema])
  .meta({ id: 'S3Events', description: 'A notification of an S3 server about its objects.', examples: [EXAMPLE] });
type S3Events = z.infer<typeof s3EventsSchema>;

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
  const packed = s3EventsSchema.safeParse(parsedJson(events.Message));
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
