import * as z from 'zod';
import { CHANGE_KINDS } from '../domain/change.ts';
import { LOCATION_TYPES } from '../domain/key.ts';

/** The most links of one event. */
export const MAX_LINKS = 1000;

const locationSchema = z.strictObject({
  value: z.string(),
  type: z.enum(LOCATION_TYPES),
});

const digestsSchema = z.union([z.string(), z.array(z.string()).max(20)]);

/**
 * One posted change event in the words of the source protocol: the complete state of a resource after a change. This is its
 * shape; what the values must be is said in posted-event.ts.
 */
export const postedEventSchema = z.strictObject({
  location: locationSchema,
  change: z.enum(CHANGE_KINDS),
  /** Bytes. */
  length: z.int().min(0).optional(),
  /** A hexadecimal digest, or several; one of another algorithm as `sha-256:…`. */
  md5: digestsSchema.optional(),
  /** `md5:… sha-256:…`, or an array of such. */
  hash: digestsSchema.optional(),
  mime: z.string().optional(),
  lastmod: z.string().optional(),
  ln: z
    .array(z.strictObject({ rel: z.string(), href: locationSchema, mime: z.string().optional() }))
    .max(MAX_LINKS)
    .optional(),
  source: z.string().min(1).max(255).optional(),
  position: z.int().min(0).optional(),
  /** Must be the set that it is posted to. */
  resource_set: z.string().optional(),
  // The source protocol's documents have these; the server's own time counts (requirements b4).
  timestamp: z.unknown().optional(),
  datetime: z.unknown().optional(),
});

export type PostedEvent = z.infer<typeof postedEventSchema>;
