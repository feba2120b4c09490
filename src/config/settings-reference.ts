import { SET_SETTING_NAMES, setSettingOf } from './set/set-settings.ts';
import { fileVariable } from './setting.ts';
import { documentedSettings } from './settings.ts';

/** The table of all settings in docs/configuration.md; a test compares the page with it. */
export function settingsReference(): string {
  const rows = documentedSettings().map(([name, setting]) => {
    const { flag, variable, meaning, default: byDefault } = setting;
    const variables = [variable, fileVariable(setting)].filter((one) => one !== undefined).map(code);
    const flagOrNone = flag === undefined ? '(none)' : code(flag);
    return [code(name), flagOrNone, variables.join(', '), plainOrCode(byDefault), meaning].join(' | ');
  });
  const head = ['Key in the file | Flag | Variable | Default | Meaning', '--- | --- | --- | --- | ---'];
  return [...head, ...rows].map((row) => `| ${row} |\n`).join('');
}

/** The table of all settings of a set in the same page. */
export function setSettingsReference(): string {
  const rows = SET_SETTING_NAMES.map((name) => {
    const { flags, givenTo, meaning, default: byDefault } = setSettingOf(name);
    const options = flags.map(({ flag }) => code(flag)).join(', ');
    return [code(name), options, givenTo.map(code).join(', '), plainOrCode(byDefault), meaning].join(' | ');
  });
  const head = ['Name | Options | Given to | Default | Meaning', '--- | --- | --- | --- | ---'];
  return [...head, ...rows].map((row) => `| ${row} |\n`).join('');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function plainOrCode(text: string): string {
  return text.startsWith('(') ? text.slice(1, -1) : code(text);
}
