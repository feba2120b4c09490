import * as z from 'zod';
import type { SetCommand } from '../config/set/set-setting.ts';
import {
  SET_SETTING_NAMES,
  type SetSettingName,
  type SetValues,
  SOURCE_SETTINGS,
  setSettingOf,
  setSettingsOverHttp,
} from '../config/set/set-settings.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { SLUG } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { byListedKind, documentUri, isOptional, listedKindsOf } from '../publish/documents.ts';
import type { SetSummary } from '../stores/set-statistics.ts';
import { count, w3cDatetime as datetime, next } from './fields.ts';
import { uri } from './resource-view.ts';

/** Sets in the API. */

/** Settings in the public view of a set; only administrators see the others. */
const PUBLIC = [
  'title',
  'aliases',
  'records',
  'from',
  'urlPrefix',
  'private',
] as const satisfies readonly SetSettingName[];

type ForAdministrators = Exclude<SetSettingName, (typeof PUBLIC)[number]>;

type Shown<Name extends SetSettingName> = { [N in Name]: z.ZodOptional<z.ZodType<NonNullable<SetValues[N]>>> };

const settingsOfAdministrators = Object.fromEntries(
  SET_SETTING_NAMES.filter((name) => !(PUBLIC as readonly string[]).includes(name)).map((name) => {
    const { schema, meaning } = setSettingOf(name);
    return [name, schema.optional().describe(`${meaning} Only administrators see it.`)];
  }),
) as Shown<ForAdministrators>;

export const setSchema = z
  .strictObject({
    set: z.string().describe('Its id.'),
    title: z.string().optional(),
    aliases: z.array(z.string()).optional().describe('Names that events may have as `resource_set`, beside its id.'),
    ready: z.boolean().describe('False while its first scan is under way: its documents answer 503 until then.'),
    resources: count.describe('The resources that are live.'),
    changes: count.describe('All changes of its history.'),
    lastChange: datetime.optional(),
    urlPrefix: uri,
    hasRoot: z.boolean().describe('Whether its resources are served by this server.'),
    records: z
      .string()
      .optional()
      .describe(
        'Of a set of records: the provider and the activity, such as `cdl/harvest`, whose newest artifact it contains.',
      ),
    from: z.string().optional().describe('Of a set that copies another source: the URL of that.'),
    organization: z.string().optional().describe('Of a set of a stream: whose it is.'),
    stream: z.string().optional().describe('Absent: whichever is the default stream of the organization.'),
    publishes: z.string().optional().describe('Of a set of a stream, for people: such as `the records of lane/main`.'),
    private: z.boolean().describe('Whether reading it needs a token.'),
    ...settingsOfAdministrators,
    trouble: z
      .strictObject({ since: datetime, problem: z.string() })
      .optional()
      .describe('Why it cannot be synced with its source at present. Only administrators see it.'),
    scannedBy: z
      .string()
      .optional()
      .describe(
        'The process that keeps it in sync with its source: host and process id. Absent while none does. Only administrators see it.',
      ),
    hiddenFiles: z
      .strictObject({ count: z.int().min(1), paths: z.array(z.string()) })
      .optional()
      .describe(
        'Published files whose name, or that of a folder above, begins with a dot, as of the last scan: their number, and the first. Only administrators see it.',
      ),
    epoch: z.int().min(1).describe('Rises when its history starts anew.'),
    documents: z.strictObject(byListedKind((kind) => (isOptional(kind) ? uri.optional() : uri))),
  })
  .meta({ id: 'ResourceSet', description: 'A set with its numbers and documents.' });

export const setsSchema = z
  .strictObject({ sets: z.array(setSchema), next: next('after') })
  .meta({ id: 'ResourceSets' });

type SetView = z.infer<typeof setSchema>;

export function setView(set: ResourceSet, summary: SetSummary, baseUrl: string): SetView {
  const { source, records, from, stream } = traitsOf(set.origin);
  return {
    set: set.slug,
    title: set.title,
    aliases: set.aliases && [...set.aliases],
    ready: set.ready,
    resources: summary.resources,
    changes: summary.changes,
    lastChange: summary.lastChange === 0 ? undefined : formatStamp(summary.lastChange),
    urlPrefix: set.urlPrefix,
    hasRoot: source !== undefined,
    records,
    from: from?.url,
    organization: stream?.organization,
    stream: stream?.stream,
    publishes: stream && source,
    private: set.private === true,
    epoch: set.epoch,
    documents: documentsOf(set, baseUrl),
  };
}

/** Only for administrators: it may name files and hosts. */
export function troubleOf({ trouble }: ResourceSet): SetView['trouble'] {
  return trouble && { since: new Date(trouble.since).toISOString(), problem: trouble.problem };
}

function documentsOf(set: ResourceSet, baseUrl: string): SetView['documents'] {
  const uris = listedKindsOf(set).map((kind) => [kind, documentUri(baseUrl, { kind, set: set.slug })]);
  return Object.fromEntries(uris) as SetView['documents'];
}

function settingsOf(command: SetCommand) {
  const settings = setSettingsOverHttp(command).map((name) => {
    const { schema, meaning, default: byDefault } = setSettingOf(name);
    const described = `${meaning} Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
    return [name, schema.nullable().optional().describe(described)] as const;
  });
  return Object.fromEntries(settings);
}

const IN_API_ROOTS = SOURCE_SETTINGS.filter(({ source }) => source.inApiRoots).map(({ name }) => `\`${name}\``);

export const newSetSchema = z
  .strictObject({
    set: z.string().meta({ pattern: SLUG.source }).describe('Its id, which stays.'),
    ...settingsOf('sets add'),
  })
  .meta({
    id: 'NewSet',
    description: `A set to add. It needs one of ${SOURCE_SETTINGS.map(({ name }) => `\`${name}\``).join(', ')} and \`urlPrefix\`. What ${IN_API_ROOTS.join(' or ')} names must be below one of the setting \`apiRoots\` of the server.`,
    examples: [{ set: 'papers', urlPrefix: 'https://data.example.org/papers/', title: 'Papers' }],
  });

export const changedSettingsSchema = z.strictObject(settingsOf('sets change')).meta({
  id: 'SetSettings',
  description: 'Settings of a set. Null restores the default; an absent setting does not change.',
});
