import type { Command, Option } from 'commander';
import { OPTION_VALUES } from './option-values.ts';
import { SHELLS } from './scripts.ts';

/** The possible completions of a word. */
export type Candidates =
  | { readonly kind: 'files' | 'folders' }
  | { readonly kind: 'words'; readonly words: readonly Candidate[] };

interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

interface TypedLine {
  /** The words before the one that is completed, without `tidemark`. */
  readonly before: readonly string[];
  /** The beginning of the word that is completed, perhaps empty. */
  readonly current: string;
  /** Lists the ids of sets; called only where one is expected. */
  setIds(): Promise<readonly string[]>;
  /** The same for organizations. */
  organizationIds(): Promise<readonly string[]>;
  /** The same for collections. */
  collectionIds(): Promise<readonly string[]>;
}

const NOTHING: Candidates = { kind: 'words', words: [] };
/** Commands whose argument `<id>` is that of a set. */
const OF_SETS = new Set(['sets', 'dumps', 'lists', 'versions', 'changes', 'resources', 'page', 'scan', 'verify']);

/**
 * The possible completions of the last word of a command line: a command, an option, a value, or a path.
 * @param program contains at least the commands that the line may name
 */
export async function findCandidates(program: Command, line: TypedLine): Promise<Candidates> {
  const [first, second] = line.before;
  if (first === 'help') return ofHelp(program, line);
  if (first === undefined) return beginning(line.current, commandsOf(program));
  const group = program.commands.find((command) => command.name() === first);
  if (group === undefined) return NOTHING;
  // `mirror` has a subcommand, and also its own arguments.
  const isCommand = group.commands.length === 0 || group.registeredArguments.length > 0;
  if (second === undefined && group.commands.length > 0 && !(isCommand && line.current.startsWith('-'))) {
    return beginning(line.current, commandsOf(group));
  }
  const command = group.commands.find((command) => command.name() === second);
  if (command !== undefined) return ofCommand(command, line, line.before.slice(2));
  return isCommand ? ofCommand(group, line, line.before.slice(1)) : NOTHING;
}

/** `help` is followed by nothing but the names of a group and of a command. */
function ofHelp(program: Command, { before, current }: TypedLine): Candidates {
  let named: Command | undefined = program;
  for (const word of before.slice(1)) named = named?.commands.find((command) => command.name() === word);
  return named === undefined ? NOTHING : beginning(current, commandsOf(named));
}

async function ofCommand(command: Command, line: TypedLine, typed: readonly string[]): Promise<Candidates> {
  const { options, operands, open } = readTyped(command, typed);
  if (open !== undefined) return valuesOf(open, line);
  if (/^--[^=]+=/.test(line.current)) return ofFlag(command, line);
  if (line.current.startsWith('-')) return beginning(line.current, optionsOf(command, options));
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return beginning(line.current, optionsOf(command, options));
  const [group = ''] = line.before;
  if (argument.name() === 'id' && OF_SETS.has(group)) return sets(line, operands);
  if (argument.name() === 'organization' && `${group} ${line.before[1]}` !== 'organizations add') {
    return beginning(line.current, wordsOf(await line.organizationIds()));
  }
  if (argument.name() === 'collection' && `${group} ${line.before[1]}` !== 'collections add') {
    return beginning(line.current, wordsOf(await line.collectionIds()));
  }
  if (argument.name() === SHELLS.join('|')) return beginning(line.current, wordsOf(SHELLS));
  return paths(argument.name());
}

async function sets({ before, current, setIds }: TypedLine, operands: number): Promise<Candidates> {
  // A new set gets a new id.
  if (operands > 0 || (before[0] === 'sets' && before[1] === 'add')) return NOTHING;
  return beginning(current, wordsOf(await setIds()));
}

async function valuesOf(option: Option, { current, setIds, organizationIds }: TypedLine): Promise<Candidates> {
  const values = OPTION_VALUES[option.long ?? ''];
  if (values !== undefined) return beginning(current, wordsOf(values));
  if (option.long === '--scope') {
    const ofSets = ['*', ...(await setIds())].flatMap((id) => [`post:${id}`, `read:${id}`]);
    const ofOrganizations = ['*', ...(await organizationIds())].flatMap((id) => [
      `upload:${id}`,
      `download:${id}`,
      `manage:${id}`,
    ]);
    return beginning(current, wordsOf(['metrics', 'administer', ...ofSets, ...ofOrganizations]));
  }
  return paths(/[<[](.*?)[>\]]/.exec(option.flags)?.[1] ?? '');
}

/** The values of `--flag=value`, which zsh and fish complete as one word. Paths are not completed there. */
async function ofFlag(command: Command, line: TypedLine): Promise<Candidates> {
  const end = line.current.indexOf('=') + 1;
  const flag = line.current.slice(0, end);
  const option = command.options.find(({ long }) => `${long}=` === flag);
  const values = option && (await valuesOf(option, { ...line, current: line.current.slice(end) }));
  if (values?.kind !== 'words') return NOTHING;
  return { kind: 'words', words: values.words.map(({ word, meaning }) => ({ word: flag + word, meaning })) };
}

/** @param name of an argument, or of the value of an option */
function paths(name: string): Candidates {
  if (name === 'folder') return { kind: 'folders' };
  // For a mirror: a folder, or a bucket.
  if (name === 'target') return { kind: 'folders' };
  return ['file', 'path', 'location'].includes(name) ? { kind: 'files' } : NOTHING;
}

interface ReadWords {
  readonly options: ReadonlySet<string>;
  /** Number of typed arguments that belong to no option. */
  readonly operands: number;
  /** The option whose value is expected next. */
  readonly open: Option | undefined;
}

function readTyped(command: Command, typed: readonly string[]): ReadWords {
  const options = new Set<string>();
  let operands = 0;
  let open: Option | undefined;
  for (const word of typed) {
    // bash splits `--port=80` into `--port`, `=` and `80`.
    if (word === '=') continue;
    if (open !== undefined) open = undefined;
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long }) => long === word.split('=')[0]);
      if (option?.long != null) options.add(option.long);
      if (option !== undefined && (option.required || option.optional) && !word.includes('=')) open = option;
    } else operands += 1;
  }
  return { options, operands, open };
}

function commandsOf(command: Command): readonly Candidate[] {
  return command.commands.map((one) => ({ word: one.name(), meaning: one.summary() || one.description() }));
}

function optionsOf({ options }: Command, typed: ReadonlySet<string>): readonly Candidate[] {
  const words = options.map(({ long, description }) => ({ word: long ?? '', meaning: description }));
  return words.filter(({ word }) => word !== '' && !typed.has(word));
}

function wordsOf(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => ({ word, meaning: '' }));
}

function beginning(current: string, all: readonly Candidate[]): Candidates {
  return { kind: 'words', words: all.filter(({ word }) => word.startsWith(current === '=' ? '' : current)) };
}
