import { Command, type Option } from 'commander';
import { SET_SETTING_NAMES, setSettingOf } from '../config/set/set-settings.ts';
import { settingOf } from '../config/settings.ts';
import { OPTIONS_OF_EVERY_COMMAND, SETTINGS_OF_EVERY_COMMAND } from './build-program.ts';
import type { CliCommand } from './cli-command.ts';
import { GROUPS } from './cli-command.ts';
import { allCommands } from './command-list.ts';
import { EXIT_CODE_MEANINGS } from './exit-code.ts';

/** All commands in docs/commands.md; a test compares the page with it. */
export async function commandsReference(): Promise<string> {
  const commands = await allCommands();
  return [
    '## Exit codes\n',
    table(
      ['Code', 'Meaning'],
      EXIT_CODE_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
    ),
    '## Options of every command\n',
    [
      ...OPTIONS_OF_EVERY_COMMAND.map(([flags, meaning]) => optionLine([flags, sentence(`${meaning}.`)])),
      ...settingLine(
        'settings of the program',
        'settings-of-the-program',
        SETTINGS_OF_EVERY_COMMAND.map((name) => settingOf(name).flag!),
      ),
      '',
    ].join('\n'),
    ...commands.map((command, at) => section(command, commands[at - 1]?.group)),
  ].join('\n');
}

/** @param before the group of the previous command: the first command of a group also describes the group */
function section(command: CliCommand, before: string | undefined): string {
  const { group, usage, summary, examples, settings = [] } = command;
  const own = new Command();
  command.options?.(own);
  const lines = [
    ...own.options
      .filter(({ flags }) => !isOfSet(flags))
      .map(optionRow)
      .map(optionLine),
    ...settingLine('settings of the set', 'sets', own.options.map(({ flags }) => flags).filter(isOfSet)),
    ...settingLine(
      'settings of the program',
      'settings-of-the-program',
      settings.filter((of) => !COMMON.has(of)).map((of) => settingOf(of).flag!),
    ),
  ];
  const words = ['tidemark', group, usage, own.options.length + settings.length > 0 ? '[options]' : undefined];
  const heading = words.filter((word) => word !== undefined).join(' ');
  const below = [
    ...examples
      .filter(([example]) => `tidemark ${example}` !== heading)
      .map(([example, meaning]) => `    tidemark ${example}   # ${meaning}`),
    ...lines,
  ];
  const ofGroup = group !== undefined && group !== before ? `**${GROUPS[group]}**\n` : '';
  return [`${ofGroup}## \`${heading}\``, wrapped(summary), ...(below.length > 0 ? ['', ...below] : []), ''].join('\n');
}

/** Of all commands that use artifacts: the page says so once. */
const COMMON: ReadonlySet<string> = new Set(['artifacts', 's3Timeout']);

const SET_FLAGS: ReadonlySet<string> = new Set(
  SET_SETTING_NAMES.flatMap((name) => setSettingOf(name).flags.map(({ flag }) => flag)),
);

function isOfSet(flags: string): boolean {
  return SET_FLAGS.has(flags);
}

function optionLine([flags, meaning]: Row): string {
  return `- \`${flags}\`: ${meaning}`;
}

/** configuration.md explains settings, once for all commands. */
function settingLine(title: string, heading: string, flags: readonly string[]): readonly string[] {
  if (flags.length === 0) return [];
  const names = flags.map((flag) => `\`${flag.split(' ')[0]}\``).join(', ');
  return [wrapped(`- [${title}](configuration.md#${heading}): ${names}`, '\n  ')];
}

/** Lines of at most 120 characters. */
function wrapped(text: string, lineBreak = '\n'): string {
  return text.replace(/(?!.{1,120}$)(.{1,116}) /g, `$1${lineBreak}`);
}

type Row = readonly [flags: string, meaning: string];

function optionRow({ flags, description, defaultValue, mandatory }: Option): Row {
  const byDefault = defaultValue === undefined ? '' : ` Default: ${[defaultValue].flat().join(', ') || 'none'}.`;
  const text = description.endsWith('.') ? description : `${description}.`;
  return [flags, `${sentence(text)}${mandatory ? ' Must be given.' : ''}${byDefault}`];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
