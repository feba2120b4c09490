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
import { SLUG } from '../core/resource-set.ts';

/** The settings of a set in the JSON API, from config/set/set-settings.ts. */

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

export const settingsOfAdministrators = Object.fromEntries(
  SET_SETTING_NAMES.filter((name) => !(PUBLIC as readonly string[]).includes(name)).map((name) => {
    const { schema, meaning } = setSettingOf(name);
    return [name, schema.optional().describe(`${meaning} Only administrators see it.`)];
  }),
) as Shown<ForAdministrators>;

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

export const removedSetSchema = z
  .strictObject({
    removed: z.string().describe('The id of the set.'),
    canBeUsedAgain: z.boolean().describe('Whether another set can have the id, because the set never had a change.'),
  })
  .meta({ id: 'RemovedSet', description: 'A set that was removed.' });

export const requestedScanSchema = z
  .strictObject({ set: z.string(), requested: z.string().meta({ format: 'date-time' }) })
  .meta({ id: 'RequestedScan', description: 'A scan that begins soon.' });

export const changedSettingsSchema = z.strictObject(settingsOf('sets change')).meta({
  id: 'SetSettings',
  description: 'Settings of a set. Null restores the default; an absent setting does not change.',
});
