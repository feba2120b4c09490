import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import type { SettingName } from '../../../config/settings.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { type RequestLine, readRequestLines } from '../../../datasets/request-lines.ts';
import { parseRequest } from '../../../datasets/results/parse-request.ts';
import type { AskedRequests } from '../../../datasets/results/request-list.ts';
import type { Call } from '../../cli-command.ts';

/** Settings of commands that make the set of datasets. */
export const SET_SETTINGS = ['baseUrl', 'port'] as const satisfies readonly SettingName[];

/** Settings of commands that fetch datasets. */
export const FETCH_SETTINGS = [
  ...(['artifacts', 's3Timeout', 'datasetNetworks', 'datasetFiles', 'datasetSize', 'datasetFetches'] as const),
  ...(['platformToken', 'datasetWebFiles', 'datasetWebSize', 'datasetWebFileSize', 'datasetWeb'] as const),
  ...(['datasetArchiveorg', 'datasetArchiveorgMetadata', 'datasetArchiveorgKeys'] as const),
] as const satisfies readonly SettingName[];

export interface RequestOptions {
  readonly set?: string;
  readonly bundle?: true;
  readonly followLatest?: true;
  readonly acceptMismatch?: true;
}

export interface IngestDatasetsOptions extends RequestOptions {
  readonly concurrency: number;
  readonly dryRun?: true;
  readonly raw?: true;
}

export function addRequestOptions(command: Command): void {
  command
    .option('--set <id>', 'the set that publishes them; it is made when it is missing (default: datasets)')
    .option('--bundle', 'store the file with all others that the platform makes, where there is one')
    .option('--follow-latest', 'take the latest version of an identifier that is for all versions')
    .option('--accept-mismatch', 'store files that differ from what the platform says, marked');
}

export function askedOf({ set, bundle, followLatest, acceptMismatch }: RequestOptions): AskedRequests {
  const options = {
    ...(bundle && { bundle }),
    ...(followLatest && { followLatest }),
    ...(acceptMismatch && { acceptMismatch }),
  };
  return { ...(set !== undefined && { set }), options };
}

/** Whether requests are read from standard input. */
export function readsInput({ args }: Pick<Call, 'args'>): boolean {
  return args.includes('-');
}

/**
 * The requests of a command line: its arguments, or the lines of standard input.
 * @throws TidemarkError `invalid` for a wrong argument; wrong lines are yielded
 */
export function givenRequests(
  call: Pick<Call, 'args' | 'terminal' | 'stopped'>,
): AsyncIterable<readonly RequestLine[]> {
  const { args, terminal, stopped } = call;
  if (!readsInput(call)) return inOneBatch(args.map((text, at) => ({ number: at + 1, request: parseRequest(text) })));
  if (args.length > 1) throw new TidemarkError('invalid', 'give URLs, or - alone to read them from standard input');
  if (process.stdin.isTTY)
    terminal.say('Reading requests from the terminal, one URL or JSON object a line; Ctrl-D ends.');
  return readRequestLines(addAbortSignal(stopped, terminal.stdin));
}

async function* inOneBatch(lines: readonly RequestLine[]) {
  yield lines;
}
