import { Command, Option } from 'commander';
import { loadConfiguration } from '../config/load-configuration.ts';
import { defaultOfFlag } from '../config/setting.ts';
import { type SettingName, settingOf } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { type CliCommand, type Example, GROUPS } from './cli-command.ts';
import { EXIT_CODE_HELP, type ExitCode } from './exit-code.ts';
import { topicOf } from './help-topics.ts';
import { withProgramName } from './program-name.ts';
import { onStopSignals, type SignalSource } from './stop-signals.ts';
import type { Terminal } from './ui/terminal.ts';
import { waitForArtifacts } from './wait-for-artifacts.ts';

interface ProgramSurroundings {
  readonly terminal: Terminal;
  /** The name by which the program was called. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly signals: SignalSource;
  readonly onExit: (code: ExitCode) => void;
}

export const SETTINGS_OF_EVERY_COMMAND: readonly SettingName[] = [
  'data',
  'store',
  'storeCa',
  'indexPrefix',
  'storeShards',
  'logLevel',
];
/** The usage of the program, and of a group: no option comes before a command. */
const BELOW = '<command> [options]';
/** Flags of every command that are not settings, with their meanings. */
export const OPTIONS_OF_EVERY_COMMAND = [
  ['--config <file>', 'configuration file (default: tidemark.config.json, when there is one)'],
  ['--json', 'print JSON, and errors as JSON on standard error'],
] as const;

/**
 * Builds the command line parser of the given commands. Running it throws the errors of commands, and CommanderError
 * for wrong usage.
 */
export function buildProgram(commands: readonly CliCommand[], surroundings: ProgramSurroundings): Command {
  const program = new Command('tidemark')
    .description('Publishes a collection, and every change of it, by ResourceSync (ANSI/NISO Z39.99-2017).')
    .usage(BELOW)
    .version(VERSION)
    .addHelpText('after', EXIT_CODE_HELP)
    .exitOverride()
    // A list of commands is wrapped, too: beside the longest of them, 35 columns of 80 are left.
    .configureHelp({ minWidthToWrap: 30 })
    // Errors are printed in one place, run-cli.ts.
    .configureOutput({
      outputError: () => {},
      writeOut: (help) => {
        // It fails when no process reads the output any more.
        surroundings.terminal.write(withProgramName(help, surroundings.program)).catch(() => {});
      },
      writeErr: (help) => surroundings.terminal.stderr.write(withProgramName(help, surroundings.program)),
    });
  for (const command of commands) addCommand(parentOf(command, program), command, surroundings);
  return program;
}

/** The program, or the command's group, made for its first command. */
function parentOf({ group }: CliCommand, program: Command): Command {
  if (group === undefined) return program;
  const known = program.commands.find((command) => command.name() === group);
  if (known !== undefined) return known;
  const meaning = GROUPS[group];
  const made = program.command(group).usage(BELOW).description(meaning);
  return made.summary(meaning.replace(/\.$/, '')).helpGroup(topicOf(group));
}

function addCommand(parent: Command, command: CliCommand, surroundings: ProgramSurroundings): void {
  const built = parent.command(command.usage).description(command.summary);
  // In a list of commands, only the first clause is shown.
  built.summary(command.summary.split(/[.;:](?: |$)/)[0]!);
  if (command.group === undefined) built.helpGroup(topicOf(built.name()));
  command.options?.(built);
  for (const name of command.settings ?? []) addSetting(built, name).helpGroup('Settings (a flag, or a variable):');
  const every = 'Options of every command:';
  for (const name of SETTINGS_OF_EVERY_COMMAND) addSetting(built, name).helpGroup(every);
  for (const [flags, meaning] of OPTIONS_OF_EVERY_COMMAND) built.addOption(new Option(flags, meaning).helpGroup(every));
  built.addHelpText('after', `${exampleHelp(command.examples)}${EXIT_CODE_HELP}`);
  built.action(async () => {
    const code = await runCommand(command, { args: built.args, options: built.opts() }, surroundings);
    if (code !== undefined) surroundings.onExit(code);
  });
}

function addSetting(command: Command, name: SettingName): Option {
  const setting = settingOf(name);
  const description = `${setting.meaning}${defaultOfFlag(setting)} [${setting.variable}]`;
  const option = new Option(setting.flag!, description.replaceAll('`', ''));
  command.addOption(option);
  // Commander sets `true` where a flag such as `--no-sources` is left out.
  command.setOptionValue(name, undefined);
  return option;
}

function exampleHelp(examples: readonly Example[]): string {
  const lines = examples.map(([words, meaning]) => `  tidemark ${words}\n      ${meaning}\n`);
  return `\nExamples:\n${lines.join('')}`;
}

interface Typed {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

async function runCommand(command: CliCommand, { args, options }: Typed, surroundings: ProgramSurroundings) {
  const { terminal, program, environment, workingDirectory } = surroundings;
  const taken = [...(command.settings ?? []), ...SETTINGS_OF_EVERY_COMMAND];
  const loaded = loadConfiguration(
    {
      flags: Object.fromEntries(taken.map((name) => [name, options[name]])),
      environment,
      workingDirectory,
      configurationFile: options.config as string | undefined,
    },
    command.logsInfo !== true,
  );
  const underNpm = environment.npm_lifecycle_event !== undefined;
  const sayBelow = (text: string): void => {
    terminal.line.leave();
    // Without a terminal, the output of a server is read by a program.
    if (command.logsInfo !== true || terminal.stderr.isTTY === true) terminal.say(text);
  };
  const signals = onStopSignals(surroundings.signals, sayBelow, underNpm);
  const { stopped } = signals;
  const waiting = waitForArtifacts(loaded, terminal, stopped);
  try {
    const call = { args, options, loaded: command.runsJobs ? loaded : waiting.loaded, terminal, workingDirectory };
    return await command.run({ ...call, program, stopped });
  } catch (error) {
    // Streams ended by a signal throw their own AbortError.
    if (error instanceof Error && error.name === 'AbortError') signals.stopped.throwIfAborted();
    throw error;
  } finally {
    waiting.end();
    signals.dispose();
  }
}
