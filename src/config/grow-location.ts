import { resolve } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import type { StoreLocation } from '../stores/locations.ts';
import { certificateProblem } from './certificate-problem.ts';
import type { Secret } from './secret.ts';
import { DEFAULT_PREFIX } from './store-location.ts';
import { type GivenStore, store } from './store-values.ts';

/** The settings of the store that `grow` moves to. */
export interface GrowSettings {
  readonly to: GivenStore | undefined;
  readonly apiKey: Secret | undefined;
  /** Absolute. */
  readonly caFile: string | undefined;
  readonly prefix: string | undefined;
}

/**
 * The store to move to: named by an argument of the command line, or else by the settings.
 * @throws TidemarkError `invalid`
 */
export function growLocation(
  argument: string | undefined,
  { to, apiKey, caFile, prefix = DEFAULT_PREFIX }: GrowSettings,
  workingDirectory: string,
): StoreLocation {
  const given = argument === undefined ? to : readArgument(argument, workingDirectory);
  if (given === undefined) {
    throw wrong('which store? Name it, such as "tidemark grow http://localhost:9200", or set TIDEMARK_GROW_TO');
  }
  if (given.kind === 'sqlite') return given;
  if (given.authorization !== undefined && apiKey !== undefined) {
    throw wrong(
      'TIDEMARK_GROW_API_KEY is an API key, and TIDEMARK_GROW_TO contains a user and a password: leave one out',
    );
  }
  const problem = caFile === undefined ? undefined : certificateProblem(caFile);
  if (problem !== undefined) throw wrong(`TIDEMARK_GROW_CA (--grow-ca) ${problem}`);
  return {
    ...given,
    prefix,
    ...(apiKey !== undefined && { authorization: `ApiKey ${apiKey.reveal()}` }),
    ...(caFile !== undefined && { caFile }),
  };
}

function readArgument(text: string, workingDirectory: string): GivenStore {
  const { success, data, error } = store.safeParse(text);
  if (!success) throw wrong(`the store to move to ${error.issues[0]!.message}`);
  if (data.kind === 'sqlite') return { ...data, file: resolve(workingDirectory, data.file) };
  if (data.authorization === undefined) return data;
  throw wrong('the URL contains a password, and a command line can be read by others: use TIDEMARK_GROW_TO');
}

function wrong(message: string): TidemarkError {
  return new TidemarkError('invalid', message);
}
