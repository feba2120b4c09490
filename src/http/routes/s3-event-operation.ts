import * as z from 'zod';
import { json, NO_PARAMETERS, type Operation } from '../request/operation.ts';

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
export type S3Events = z.infer<typeof s3EventsSchema>;

const resultSchema = z
  .strictObject({
    taken: z.int().min(0).describe('Objects of the root of the set that were checked.'),
    ignored: z.int().min(0).describe('Objects of other buckets and prefixes, or that cannot be resources.'),
    problems: z.array(z.strictObject({ path: z.string(), problem: z.string() })),
  })
  .meta({ id: 'S3EventsTaken', description: 'The result of a notification.' });

export const POST_S3_EVENTS = {
  id: 'postS3Events',
  tag: 'changes',
  summary: 'Takes the notifications of an S3 server',
  description: `Of a set whose root is a bucket. A notification is only a hint: the object is asked for its present state, and what changed
is recorded before the answer comes. So notifications may come twice, late, and in any order. Understood are those of Amazon S3 (also by
EventBridge and SNS), MinIO, Ceph and versitygw.

503 with \`Retry-After\` means that it takes longer, because a scan is under way, or that
this server was started with \`--no-sources\`: send the notification again, to the server that keeps the sources.`,
  query: NO_PARAMETERS,
  body: { 'application/json': s3EventsSchema },
  answers: [json(resultSchema, 'What was checked.')],
} satisfies Operation;
