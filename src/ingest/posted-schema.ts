import * as z from 'zod';
import { CHANGE_KINDS } from '../core/change.ts';
import { LOCATION_TYPES } from '../core/key.ts';
import { LEAST_PRIORITY } from '../core/link-relations.ts';

/** The most links of one event. */
const MAX_LINKS = 1000;

const locationSchema = z
  .strictObject({
    value: z.string().describe('As `type` says.'),
    type: z
      .enum(LOCATION_TYPES)
      .describe('A URI, an absolute path of a file below the root of the set, or a path below it or its `url_prefix`.'),
  })
  .meta({ id: 'Location', description: 'Where a resource is.' });

const digestsSchema = z.union([z.string(), z.array(z.string()).max(20)], 'use a text, or an array of at most 20 texts');

const linkSchema = z
  .strictObject({
    rel: z.string().describe('A name registered at IANA, or an absolute URI.'),
    href: locationSchema,
    mime: z.string().optional().describe('Its media type.'),
    pri: z
      .int()
      .min(1)
      .max(LEAST_PRIORITY)
      .optional()
      .describe('Its priority among the links of its relation: 1 is the highest.'),
    modified: z.string().optional().describe('When it was modified: a W3C datetime with its time zone.'),
    length: z.int().min(0).optional().describe('Bytes.'),
    md5: digestsSchema.optional().describe('As `md5` of the event.'),
    hash: digestsSchema.optional().describe('As `hash` of the event.'),
  })
  .meta({ id: 'PostedLink', description: 'A related resource (ResourceSync 1.1, 14).' });

export const LINK_FIELDS: readonly string[] = Object.keys(linkSchema.shape);

const EXAMPLE = {
  location: { value: '2026/a.pdf', type: 'rel_path' },
  change: 'updated',
  length: 2048,
  md5: 'd41d8cd98f00b204e9800998ecf8427e',
  mime: 'application/pdf',
  lastmod: '2026-01-31T12:00:00Z',
};

/**
 * One posted change event in the terms of the source protocol: the complete state of a resource after a change. This is
 * its structure; posted-event.ts checks the values.
 */
export const postedEventSchema = z
  .strictObject({
    location: locationSchema,
    change: z.enum(CHANGE_KINDS),
    length: z.int().min(0).optional().describe('Bytes.'),
    md5: digestsSchema
      .optional()
      .describe('A hexadecimal digest, or several; one of another algorithm as `sha-256:…`.'),
    hash: digestsSchema.optional().describe('`md5:… sha-256:…`, or an array of such.'),
    mime: z.string().optional().describe('Its media type.'),
    lastmod: z.string().optional().describe('When its bytes changed: a W3C datetime with its time zone.'),
    ln: z.array(linkSchema).max(MAX_LINKS).optional().describe('Related resources.'),
    source: z.string().min(1).max(255).optional().describe('Who posts, when `position` is given.'),
    position: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The place of the event in what `source` posts. An event that is not above the last one changes nothing.',
      ),
    order: z
      .int()
      .min(0)
      .optional()
      .describe('Its place among the events about this resource. One below the highest so far changes nothing.'),
    resource_set: z.string().optional().describe('The id or an alias of the set that it is posted to.'),
    // The source protocol's documents have these; the server's own time counts (requirements b4).
    timestamp: z.unknown().optional().describe('Ignored: the time of the server counts.'),
    datetime: z.unknown().optional().describe('Ignored: the time of the server counts.'),
  })
  .meta({
    id: 'ChangeEvent',
    description: 'The complete state of one resource after a change, or its deletion.',
    examples: [EXAMPLE],
  });

export type PostedEvent = z.infer<typeof postedEventSchema>;
