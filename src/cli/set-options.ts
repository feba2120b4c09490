import { type Command, InvalidArgumentError, Option } from 'commander';
import { Wrong } from '../config/checked-value.ts';
import type { SetCommand, SetFlag } from '../config/set/set-setting.ts';
import { type SetSettingName, type SetValues, setSettingOf, setSettingsOf } from '../config/set/set-settings.ts';

/** Adds the flags of the set settings that a command accepts. */
export function addSetOptions(command: Command, name: SetCommand): void {
  for (const setting of setSettingsOf(name)) {
    for (const flag of flagsOf(setting, name)) command.addOption(optionOf(setting, flag));
  }
}

/** The given values, by the names of their settings. @param workingDirectory makes relative paths absolute */
export function readSetOptions(options: object, name: SetCommand, workingDirectory: string): SetValues {
  // Where a parser returns null, commander stores an empty text.
  const given = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === '' ? null : value]));
  const values = setSettingsOf(name).map((setting) => {
    const { fromFlags, flags, locate } = setSettingOf(setting);
    const value = fromFlags === undefined ? given[attributeOf(flags[0]!)] : fromFlags(given);
    const isText = typeof value === 'string';
    return [setting, isText && locate !== undefined ? locate(value, workingDirectory) : value];
  });
  return Object.fromEntries(values);
}

function flagsOf(setting: SetSettingName, name: SetCommand): readonly SetFlag[] {
  const { flags, givenTo } = setSettingOf(setting);
  return flags.filter((flag) => (flag.givenTo ?? givenTo).includes(name));
}

function optionOf(setting: SetSettingName, { flag, meaning, repeats, parse }: SetFlag): Option {
  const { meaning: usual, default: byDefault } = setSettingOf(setting);
  const text = `${usual}${repeats ? ' May be given several times.' : ''} Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
  const option = new Option(flag, meaning ?? text);
  if (parse === undefined) return option;
  return option.argParser((text, before) => {
    try {
      return parse(text, before);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      throw new InvalidArgumentError(`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
    }
  });
}

function attributeOf({ flag }: SetFlag): string {
  return new Option(flag).attributeName();
}
