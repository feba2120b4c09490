import type { App } from '../../app.ts';
import { TidemarkError } from '../../core/errors.ts';
import { buildProgram } from '../build-program.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { type Candidates, findCandidates } from '../completion/candidates.ts';
import { completionScript, SHELLS } from '../completion/scripts.ts';
import { EXIT } from '../exit-code.ts';
import { quoted } from '../program-name.ts';
import { withExistingApp } from '../with-app.ts';

type LoadCommands = (words: readonly string[]) => Promise<readonly CliCommand[]>;

/** The subcommand that scripts call, with the words of the command line. */
const CANDIDATES = 'candidates';
const MOST_MEANING = 80;

/** @param load loads the commands that words may name; all of them for none */
export function completion(load: LoadCommands): CliCommand {
  return {
    usage: `completion <${SHELLS.join('|')}>`,
    summary: `Prints what completes commands, options, ids of sets and other values at Tab, for ${SHELLS.join(', ')}.`,
    examples: [
      [
        'completion bash > ~/.local/share/bash-completion/completions/tidemark',
        'for bash, with the package bash-completion',
      ],
      ['completion zsh > ~/.zfunc/_tidemark', 'for zsh, with fpath=(~/.zfunc $fpath) before compinit in ~/.zshrc'],
      ['completion fish > ~/.config/fish/completions/tidemark.fish', 'for fish'],
    ],

    options(command) {
      // The words of the command line being completed.
      command.allowExcessArguments();
    },

    async run(call) {
      const [shell = '', ...typed] = call.args;
      if (shell === CANDIDATES) {
        await call.terminal.write(linesOf(await candidates(call, typed, load)));
        return EXIT.done;
      }
      const known = SHELLS.find((name) => name === shell);
      if (known === undefined) throw unknownShell(shell);
      if (typed.length > 0) throw new TidemarkError('invalid', 'name one shell', { words: typed });
      const isCommand = call.program === 'tidemark';
      const words = isCommand ? ['command', 'tidemark'] : [process.execPath, process.argv[1]!].map(quoted);
      await call.terminal.write(completionScript(known, words));
      return EXIT.done;
    },
  };
}

async function candidates(call: Call, words: readonly string[], load: LoadCommands): Promise<Candidates> {
  const before = words.slice(0, -1);
  const program = buildProgram(await load(before), {
    terminal: call.terminal,
    program: call.program,
    environment: {},
    workingDirectory: call.workingDirectory,
    signals: { on: () => {}, off: () => {} },
    onExit: () => {},
  });
  const isElsewhere = before.some((word) => /^--(data|store|config)\b/.test(word));
  return findCandidates(program, {
    before,
    current: words.at(-1) ?? '',
    setIds: async () =>
      isElsewhere ? [] : listed(call, async ({ sets }) => (await sets.list()).map(({ slug }) => slug)),
    organizationIds: async () =>
      isElsewhere
        ? []
        : listed(call, async ({ records: { organizations } }) => (await organizations.list()).map(({ id }) => id)),
    collectionIds: async () =>
      isElsewhere
        ? []
        : listed(call, async ({ records: { collections } }) => (await collections.list()).map(({ id }) => id)),
  });
}

/** None where listing may take long: Tab must not wait for a cluster, or print an error. */
async function listed(call: Call, list: (app: App) => Promise<readonly string[]>): Promise<readonly string[]> {
  if (call.loaded.configuration.store.kind !== 'sqlite') return [];
  try {
    return await withExistingApp(call, list);
  } catch {
    return [];
  }
}

/** One word and its meaning on each line, or a single line that names the kind of paths. */
function linesOf(candidates: Candidates): string {
  if (candidates.kind !== 'words') return `:${candidates.kind}\n`;
  return candidates.words.map(({ word, meaning }) => `${word}\t${meaning.slice(0, MOST_MEANING)}\n`).join('');
}

function unknownShell(shell: string): TidemarkError {
  return new TidemarkError('invalid', `there is no completion for "${shell}": use ${SHELLS.join(', ')}`, { shell });
}
