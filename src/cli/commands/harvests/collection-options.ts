import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CollectionChanges, CollectionFields } from '../../../records/collections/collection.ts';
import { isTransformFile } from '../../../records/transforms/load-transform.ts';
import type { Call } from '../../cli-command.ts';
import { collect, oneOf } from '../../options.ts';

export interface CollectionOptions {
  readonly baseUrl?: string;
  readonly format?: string;
  readonly title?: string;
  readonly set?: readonly string[];
  readonly schedule?: string;
  readonly fullSchedule?: string;
  readonly transform?: string;
  readonly malformed?: CollectionFields['malformed'];
  readonly validate?: boolean;
  readonly requireUri?: boolean;
  readonly handle?: string;
  readonly message?: string;
}

/** Adds the options of all settings but the repository, and of it, whether they are required or not. */
export function addCollectionOptions(command: Command): void {
  command
    .option('--title <text>', 'what people call it')
    .option('--set <set>', 'a setSpec to harvest; may be given several times (default: all records)', collect)
    .option('--schedule <cron>', "when it is harvested by itself, such as '15 2 * * *'")
    .option('--full-schedule <cron>', 'when it is harvested in full: what the repository has not is deleted')
    .option('--transform <name>', 'nsdl_dc, oai_dc, or a file: see docs/harvests.md (default: none)')
    .option('--malformed <what>', 'what malformed XML does: stop the run, or skip the record', oneOf('stop', 'skip'))
    .option('--validate', 'check the metadata of each record by the schema of its format')
    .option('--require-uri', 'require an identifier that is a http, https or ftp URI of each record')
    .option('--handle <handle>', "the handle of NSDL's metadata provider: the collectionNA of trigger files")
    .option('--message <url>', 'request this at the end of each run, with status, uuid and ts');
}

/** The given values; an empty text removes a setting, also as the only set. The registry checks them. */
export function givenCollection({ options, workingDirectory }: Call<CollectionOptions>): CollectionChanges {
  const { baseUrl, format, title, schedule, fullSchedule, malformed, validate, requireUri, handle, message } = options;
  const { set, transform } = options;
  // A job has another working directory.
  const isFile = transform !== undefined && transform !== '' && isTransformFile(transform);
  const given = {
    ...{ baseUrl, format, title, schedule, fullSchedule, malformed, validate, requireUri, handle, message },
    sets: set?.filter((spec) => spec !== ''),
    transform: isFile ? resolve(workingDirectory, transform) : transform,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
