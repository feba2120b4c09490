import { setImmediate } from 'node:timers/promises';
import { type Command, CommanderError } from 'commander';
import { TidemarkError } from '../core/errors.ts';
import { buildProgram } from './build-program.ts';
import { loadCommands } from './command-list.ts';
import { EXIT, type ExitCode, failureOf } from './exit-code.ts';
import { FIRST_WORDS } from './help-topics.ts';
import { programName } from './program-name.ts';
import type { SignalSource } from './stop-signals.ts';
import { OutputClosed, type Streams, Terminal } from './ui/terminal.ts';

interface ProcessLike extends Streams, SignalSource {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}

/** Runs one command line, and returns its exit code. Handles everything that a command throws. */
export async function runCli(host: ProcessLike): Promise<ExitCode> {
  const program = programName(host);
  const terminal = new Terminal(host, host.argv.includes('--json'), program);
  const words = wordsOf(host.argv.slice(2));
  endWithoutOutput(host, terminal);
  let exitCode: ExitCode = EXIT.done;
  const parser = buildProgram(await loadCommands(words), {
    terminal,
    program,
    environment: host.env,
    workingDirectory: host.cwd(),
    signals: host,
    onExit: (code) => {
      exitCode = code;
    },
  });
  try {
    await parser.parseAsync(withoutHelpOfUnknown(parser, words), { from: 'user' });
    return exitCode;
  } catch (error) {
    const command = ['tidemark', ...commandOf(parser, words)].join(' ');
    return tellFailure(error, terminal, adviceFor(words, command, error));
  } finally {
    // The process exits next, and a stream that could not be written reports it in the next turn.
    await setImmediate();
  }
}

/** `help sets add` is treated as `sets add --help`. */
function wordsOf(words: readonly string[]): string[] {
  const [first, ...rest] = words;
  if (first !== 'help') return [...words];
  // An unknown command is an error, not the help of the whole program.
  return rest.length === 0 || FIRST_WORDS.includes(rest[0]!) ? [...rest, '--help'] : rest;
}

/** Without the flag for help when a word is no command of a group: commander would show the help of the group. */
function withoutHelpOfUnknown(parser: Command, words: readonly string[]): string[] {
  const [word, ...rest] = words;
  if (word === undefined || word.startsWith('-')) return [...words];
  const command = parser.commands.find((each) => each.name() === word);
  if (command !== undefined) return [word, ...withoutHelpOfUnknown(command, rest)];
  const isGroup = parser.commands.length > 0 && parser.registeredArguments.length === 0;
  return [word, ...(isGroup ? rest.filter((each) => each !== '--help' && each !== '-h') : rest)];
}

/** The words that name a command, without its arguments. */
function commandOf(parser: Command, [word, ...rest]: readonly string[]): readonly string[] {
  const command = parser.commands.find((each) => each.name() === word);
  return command === undefined ? [] : [command.name(), ...commandOf(command, rest)];
}

/** What to do about wrong usage. @param command `tidemark` and the words that name the command */
function adviceFor([first = '', ...others]: readonly string[], command: string, error: unknown): string {
  if (command === 'tidemark publish' && error instanceof CommanderError && error.code === 'commander.excessArguments')
    return 'It publishes one folder. "tidemark sets add ID --root FOLDER" adds another one to the same server.';
  const isBehind = first.startsWith('-') && others.some((word) => FIRST_WORDS.includes(word));
  return isBehind ? 'Options follow the command: "tidemark status --json".' : `"${command} --help" says what it takes.`;
}

/** @param advice for wrong usage */
function tellFailure(error: unknown, terminal: Terminal, advice: string): ExitCode {
  if (error instanceof OutputClosed) return EXIT.done;
  if (error instanceof CommanderError) {
    // Help and version are printed already; so is the help that commander prints for a missing subcommand.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code === 'commander.help') return EXIT.usage;
  }
  const failure = failureOf(error);
  terminal.fail(failure);
  if (failure.code === 'usage') terminal.say(advice);
  return failure.exitCode;
}

/**
 * A closed pipe, as in `tidemark changes list … | head`, is no failure of its own. Any other lost result is one. A
 * command goes on without its messages, also a server whose log is on a full disk.
 */
function endWithoutOutput({ stdout, stderr }: Streams, terminal: Terminal): void {
  stderr.on('error', () => {});
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return terminal.closeOutput();
    terminal.fail(
      failureOf(new TidemarkError('unavailable', `the output cannot be written: ${error.message}`, {}, error)),
    );
    process.exit(EXIT.unavailable);
  });
}
