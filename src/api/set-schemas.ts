import * as z from 'zod';
import {
  SET_SETTING_NAMES,
  type SetSettingName,
  type SetValues,
  setSettingOf,
  setSettingsOf,
} from '../config/set-settings.ts';

/** The settings of a set in the JSON API, from config/set-settings.ts. */

/** Settings in the public view of a set; only administrators see the others. */
const PUBLIC = ['title', 'aliases', 'records', 'urlPrefix', 'private'] as const satisfies readonly SetSettingName[];
type ForAdministrators = Exclude<SetSettingName, (typeof PUBLIC)[number]>;

type Shown<Name extends SetSettingName> = { [N in Name]: z.ZodOptional<z.ZodType<NonNullable<SetValues[N]>>> };

export const settingsOfAdministrators = Object.fromEntries(
  SET_SETTING_NAMES.filter((name) => !(PUBLIC as readonly string[]).includes(name)).map((name) => {
    const { schema, meaning } = setSettingOf(name);
    return [name, schema.optional().describe(`${meaning} Only administrators see it.`)];
  }),
) as Shown<ForAdministrators>;

const changed = setSettingsOf('sets change').map((name) => {
  const { schema, meaning, default: byDefault } = setSettingOf(name);
  const described = `${meaning} Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
  return [name, schema.nullable().optional().describe(described)] as const;
});

export const changedSettingsSchema = z.strictObject(Object.fromEntries(changed)).meta({
  id: 'SetSettings',
  description: 'Settings of a set. Null restores the default; an absent setting does not change.',
});
