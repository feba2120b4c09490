import type { Command } from 'commander';
import type { LoadedConfiguration } from '../config/load-configuration.ts';
import type { SettingName } from '../config/settings.ts';
import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './ui/terminal.ts';

/** Groups of commands, with their descriptions in the help. */
export const GROUPS = {
  sets: 'Resource sets: what one Capability List covers.',
  changes: 'The changes of a set.',
  resources: 'The resources of a set.',
  page: 'The pages of a Resource List.',
  collections: 'Collections: OAI-PMH repositories that are harvested.',
  harvests: 'Harvests: the runs that harvest collections.',
  activity: 'Activities: what makes artifacts of records.',
  mirror: 'Copies of other sources, in folders and buckets.',
  dumps: 'Resource Dumps: the resources of a set, packed into ZIP files.',
  lists: 'Archived Resource Lists: what a set was at earlier times.',
  versions: 'Kept versions: the bytes that resources had at earlier times.',
  datasets: 'Datasets of other platforms, which are fetched, checked and published.',
  artifacts: 'Artifacts: what is stored and never changes, such as Avro files with their provenance.',
  organizations: 'Organizations: who delivers files.',
  streams: 'Streams: what an organization has delivered, in the order of arrival.',
  uploads: 'Uploads: the files that an organization has delivered.',
  nsdl: 'NSDL: its folders, through which collections with a handle are harvested.',
  jobs: 'Jobs: work that is done later, repeatedly, or for long.',
  subscriptions: 'Subscriptions: who is sent changes as they happen.',
  tokens: 'Tokens: who may post, read private sets, or administer.',
} as const;

/** A command line, without `tidemark`, and its meaning. */
export type Example = readonly [words: string, meaning: string];

/** A command of the command line; command-list.ts lists them all. */
export interface CliCommand<Options extends object = object> {
  readonly group?: keyof typeof GROUPS;
  /** Its name (below the group's) and arguments: `add <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** Settings that can be given as flags, besides those of every command. */
  readonly settings?: readonly SettingName[];
  /** Whether it logs as a server does, rather than only warnings. */
  readonly logsInfo?: boolean;
  /** Whether it serves, or runs jobs, which wait for the artifact store as jobs. */
  readonly runsJobs?: boolean;
  /** Adds its own options, and more help. */
  options?(command: Command): void;
  /** Returns the exit code; undefined when all is done. */
  run(call: Call<Options>): Promise<ExitCode | undefined>;
}

export interface Call<Options extends object = object> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly loaded: LoadedConfiguration;
  readonly terminal: Terminal;
  /** Absolute. */
  readonly workingDirectory: string;
  /** How the program was called, for command lines in messages: see program-name.ts. */
  readonly program: string;
  /** Aborted by the first signal; the second one ends the process. */
  readonly stopped: AbortSignal;
}
