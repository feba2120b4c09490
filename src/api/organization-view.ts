import * as z from 'zod';
import { SLUG } from '../core/resource-set.ts';
import { MOST_READERS } from '../records/checked-readers.ts';
import { NORMALIZATIONS } from '../records/forms/record-forms.ts';
import { type MessageSettings, MOST_MESSAGE_URL, MOST_SECRET } from '../records/message-settings.ts';
import {
  EMAIL,
  idPattern,
  LINE,
  MOST_NAME,
  MOST_OF_ORGANIZATION,
  MOST_OF_STREAM,
  MOST_TITLE,
  type Organization,
  streamOf,
} from '../records/organization.ts';
import { type DumpSettings, MOST_CRON, MOST_KEPT, USUAL_KEEP } from '../records/stream-dump-settings.ts';
import { datetime, formatTime } from './fields.ts';

/** The shapes of organizations and streams in the JSON API. */

const givenTitle = z.string().meta({ pattern: LINE, maxLength: MOST_TITLE });
/** Does not begin with white space. */
const contactName = z.string().meta({ pattern: LINE.replace('^', '^(?=\\S)'), maxLength: MOST_NAME });

const contactSchema = z
  .strictObject({ name: contactName, email: z.string().max(254).meta({ pattern: EMAIL.source }).optional() })
  .meta({ id: 'Contact', description: 'Whom to ask.' });

const [normalization, ...others] = NORMALIZATIONS.map((kind) => kind.schema(z));
const normalizationSchema = others.length === 0 ? normalization! : z.union([normalization!, ...others]);

const access = {
  private: z
    .boolean()
    .optional()
    .describe('Whether what it delivers is for some alone. One that becomes public has no readers.'),
  readers: z
    .array(z.string().meta({ pattern: SLUG.source }))
    .max(MOST_READERS)
    .optional()
    .describe('All groups of tokens that may read it while it is private: those with the scope `group:NAME`.'),
};

const cron = z.string().meta({ maxLength: MOST_CRON }).describe('A pattern of CRON, such as 15 2 * * *, or off.');
const keep = z.int().min(1).max(MOST_KEPT);

const dumpSettingsSchema = z
  .strictObject({
    full: cron.optional().describe('When a full dump is made: a pattern of CRON, or off.'),
    delta: cron.optional().describe('When a delta is made: a pattern of CRON, or off.'),
    keep: keep.describe('Full dumps that are kept, with the deltas after the oldest of them.'),
  })
  .meta({
    id: 'DumpSettings',
    description:
      'When dumps of records are made by themselves, and which are kept. What is absent is as for all organizations; of a named stream, off.',
  });

const changedDumpSettingsSchema = z
  .strictObject({
    full: cron.nullable().optional(),
    delta: cron.nullable().optional(),
    keep: keep.nullable().optional(),
  })
  .meta({ id: 'DumpSettingChanges' });

const messageSettingsSchema = z
  .strictObject({
    url: z.string().optional().describe('Where messages are posted, as JSON.'),
    signed: z.boolean().describe('Whether they are signed with a secret: the header `X-Hub-Signature`.'),
    mail: z.boolean().describe('Whether contacts with an address get mail.'),
    errors: z.boolean().describe('Whether there is also a message when an upload was processed and has errors.'),
  })
  .meta({ id: 'MessageSettings', description: 'Who gets a message when an upload has failed.' });

const changedMessagesSchema = z
  .strictObject({
    url: z.string().max(MOST_MESSAGE_URL).nullable().optional(),
    secret: z
      .string()
      .max(MOST_SECRET)
      .nullable()
      .optional()
      .describe('The key of the signature, 8 characters or more.'),
    mail: z.boolean().optional(),
    errors: z.boolean().optional(),
  })
  .meta({ id: 'MessageSettingChanges' });

export const streamSchema = z
  .strictObject({
    stream: z.string().describe('Its id within the organization.'),
    title: z.string().optional(),
    default: z.boolean().describe('Whether it is what the organization offers. Exactly one stream is.'),
    created: datetime,
    archived: datetime.optional().describe('Since when it takes no uploads.'),
    dumps: dumpSettingsSchema.optional().describe('Of its own records, whether it is the default or not.'),
    removing: datetime.optional().describe('Since when it is being removed.'),
    collection: z.string().optional().describe('The collection whose harvests fill it: it takes no other uploads.'),
  })
  .meta({ id: 'Stream', description: 'The files that an organization has delivered, in the order of arrival.' });

export const streamsSchema = z.strictObject({ organization: z.string(), streams: z.array(streamSchema) });

export const organizationSchema = z
  .strictObject({
    organization: z.string().describe('Its id.'),
    title: z.string().optional(),
    contacts: z.array(contactSchema).describe('Their addresses are shown to those who have a token.'),
    private: z.boolean().describe('Whether what it delivers is for some alone.'),
    readers: z.array(z.string()).optional().describe('Groups of tokens that may read it. For those who manage it.'),
    normalization: normalizationSchema.optional().describe('Absent: records stay as they are.'),
    created: datetime,
    defaultStream: z.string().optional().describe('The id of its default stream; absent without any stream.'),
    streams: z.array(streamSchema).describe('In the order in which they were made.'),
    dumps: dumpSettingsSchema.optional().describe('Of the records of its default stream.'),
    messages: messageSettingsSchema.optional().describe('For those who manage it; absent when there are none.'),
  })
  .meta({ id: 'Organization', description: 'Who delivers files.' });

export const organizationsSchema = z.strictObject({ organizations: z.array(organizationSchema) });

export const newOrganizationSchema = z
  .strictObject({
    organization: z
      .string()
      .meta({ pattern: idPattern(MOST_OF_ORGANIZATION), maxLength: MOST_OF_ORGANIZATION })
      .describe('Its id, which stays: as an id of a set, without "--".'),
    title: givenTitle.optional(),
    contacts: z.array(contactSchema).optional(),
    normalization: normalizationSchema.optional(),
    ...access,
  })
  .meta({
    id: 'NewOrganization',
    examples: [{ organization: 'lane', title: 'Lane Library', contacts: [{ name: 'Ada', email: 'ada@example.org' }] }],
  });

export const changedOrganizationSchema = z
  .strictObject({
    title: givenTitle.nullable().optional(),
    contacts: z.array(contactSchema).optional().describe('All of them: they replace the former ones.'),
    normalization: normalizationSchema
      .nullable()
      .optional()
      .describe('It concerns the uploads that are processed from then on.'),
    ...access,
    dumps: changedDumpSettingsSchema.optional(),
    messages: changedMessagesSchema.optional(),
  })
  .meta({ id: 'OrganizationChanges', description: 'What is absent does not change; null removes it.' });

export const newStreamSchema = z
  .strictObject({
    stream: z
      .string()
      .meta({ pattern: idPattern(MOST_OF_STREAM), maxLength: MOST_OF_STREAM })
      .describe('Its id, which stays. That of the organization and this one have at most 54 characters together.'),
    title: givenTitle.optional(),
  })
  .meta({ id: 'NewStream', examples: [{ stream: 'full-2026', title: 'All records of 2026' }] });

export const changedStreamSchema = z
  .strictObject({
    title: givenTitle.nullable().optional(),
    default: z.literal(true).optional().describe('Makes it the default, in place of the other one.'),
    archived: z.boolean().optional().describe('Whether it takes no uploads. The default stream cannot be archived.'),
    dumps: changedDumpSettingsSchema.optional(),
  })
  .meta({ id: 'StreamChanges', description: 'What is absent does not change; null removes it.' });

export type OrganizationView = z.output<typeof organizationSchema>;
export type StreamView = z.output<typeof streamSchema>;

/** Which fields of an organization a reader may see. */
export interface OrganizationReader {
  /** E-mail addresses are not public. */
  readonly seesAddresses: boolean;
  /** Who manages it sees its settings. */
  readonly manages: boolean;
}

const ADMINISTRATOR_READS: OrganizationReader = { seesAddresses: true, manages: true };

export function organizationView(
  organization: Organization,
  { seesAddresses, manages }: OrganizationReader = ADMINISTRATOR_READS,
): OrganizationView {
  const { id, title, contacts, normalization, created, defaultStream, streams, readers, dumps, messages } =
    organization;
  return {
    organization: id,
    ...(title !== undefined && { title }),
    contacts: seesAddresses ? [...contacts] : contacts.map(({ name }) => ({ name })),
    private: organization.private === true,
    ...(manages && readers !== undefined && { readers: [...readers] }),
    ...(normalization !== undefined && { normalization }),
    created: formatTime(created),
    ...(defaultStream !== undefined && { defaultStream }),
    streams: streams.map((stream) => streamView(organization, stream.id)),
    ...dumpSettings(dumps),
    ...(manages && messages !== undefined && { messages: messagesView(messages) }),
  };
}

/** The secret is not shown. */
function messagesView({ url, secret, mail, errors }: MessageSettings) {
  return {
    ...(url !== undefined && { url }),
    ...{ signed: secret !== undefined, mail: mail === true, errors: errors === true },
  };
}

/** @throws TidemarkError `not-found` */
export function streamView(organization: Organization, stream: string): StreamView {
  const { id, title, created, archived, dumps, removing, set } = streamOf(organization, stream);
  return {
    stream: id,
    ...(title !== undefined && { title }),
    default: organization.defaultStream === id,
    created: formatTime(created),
    ...(archived !== undefined && { archived: formatTime(archived) }),
    ...dumpSettings(dumps),
    ...(removing !== undefined && { removing: formatTime(removing) }),
    ...(set !== undefined && { collection: set }),
  };
}

function dumpSettings(settings: DumpSettings | undefined): Pick<StreamView, 'dumps'> {
  if (settings === undefined) return {};
  const { full, delta, keep = USUAL_KEEP } = settings;
  return { dumps: { ...(full !== undefined && { full }), ...(delta !== undefined && { delta }), keep } };
}
