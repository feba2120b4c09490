import * as z from 'zod';
import { type SetSettingName, type SetValues, setSettingOf, setSettingsOf } from '../config/set-settings.ts';

/** The settings of a set in the JSON API, from config/set-settings.ts. */

/** Settings that only administrators see; the others are in the public view of a set. */
const FOR_ADMINISTRATORS = [
  'root',
  'exclude',
  'resourceRootDir',
  'pageSize',
  'windowSize',
  'publishHashes',
  'presignedSeconds',
] as const satisfies readonly SetSettingName[];

type Shown<Name extends SetSettingName> = { [N in Name]: z.ZodOptional<z.ZodType<NonNullable<SetValues[N]>>> };

export const settingsOfAdministrators = Object.fromEntries(
  FOR_ADMINISTRATORS.map((name) => {
    const { schema, meaning } = setSettingOf(name);
    return [name, schema.optional().describe(`${meaning} Only administrators see it.`)];
  }),
) as Shown<(typeof FOR_ADMINISTRATORS)[number]>;

const changed = setSettingsOf('sets change').map((name) => {
  const { schema, meaning, default: byDefault } = setSettingOf(name);
  const described = `${meaning} Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
  return [name, schema.nullable().optional().describe(described)] as const;
});

export const changedSettingsSchema = z.strictObject(Object.fromEntries(changed)).meta({
  id: 'SetSettings',
  description: 'Settings of a set. Null restores the default; an absent setting does not change.',
});
