import { resolve } from 'node:path';
import { TidemarkError } from '../domain/errors.ts';
import type { HashAlgorithm } from '../domain/hash.ts';
import { parseSlug, type RecordsSource } from '../domain/resource-set.ts';
import { parseExclusions } from '../roots/exclusions.ts';
import type { NewSet } from '../sets/new-set.ts';
import type { Call, CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { givenRoot } from './given-root.ts';
import { addNewSetOptions, type NewSetOptions } from './new-set-options.ts';
import { hashAlgorithm, recordsSource } from './options.ts';
import { addRedirectOptions, presignedSeconds, type RedirectOptions } from './redirect-options.ts';
import { viewSet } from './set-view.ts';
import { settleBaseUrl } from './settle-base-url.ts';
import { withApp } from './with-app.ts';

interface Options extends NewSetOptions, RedirectOptions {
  readonly root?: string;
  readonly records?: RecordsSource;
  readonly urlPrefix?: string;
  readonly resourceRootDir?: string;
  readonly title?: string;
  readonly publishHash?: readonly HashAlgorithm[];
  readonly private?: boolean;
}

export const setsAdd: CliCommand<Options> = {
  group: 'sets',
  usage: 'add <id>',
  summary:
    'Adds a set: of a folder or a bucket (--root), of the records of artifacts (--records), or of resources that are served elsewhere (--url-prefix).',
  settings: ['baseUrl', 'port'],

  options(command) {
    command
      .option(
        '--root <location>',
        'folder whose files are the resources, or s3://BUCKET/PREFIX?endpoint=URL (docs/s3.md)',
      )
      .option(
        '--records <provider/activity>',
        "its resources are the records of the provider's newest artifact of an activity, such as cdl/harvest (docs/artifacts.md)",
        recordsSource,
      )
      .option('--url-prefix <url>', 'what the URIs of its resources begin with, when another server has them')
      .option('--resource-root-dir <folder>', 'what posted locations of the type abs_path lie in (default: the root)')
      .option('--title <text>', 'its title for people')
      .option('--private', 'only for those whose token may read it; for everybody else, as if it were not there')
      .option(
        '--publish-hash <algorithm>',
        'publish this hash beside the strongest one; may be given several times',
        hashAlgorithm,
      );
    addRedirectOptions(command);
    addNewSetOptions(command);
  },

  async run(call) {
    const set = await newSet(call);
    return withApp(call, async (app) => {
      await settleBaseUrl(app, call.loaded);
      const view = await viewSet(app, await app.sets.add(set));
      await call.terminal.print(`Added the set ${view.set}: ${view.documents.capabilityList}`, view);
      if (view.root !== undefined)
        call.terminal.tell(`Read its root with "tidemark scan ${view.set}", or serve it with "tidemark serve".`);
      if (view.records !== undefined)
        call.terminal.tell(`Read its records with "tidemark scan ${view.set}", or serve it with "tidemark serve".`);
      return EXIT.done;
    });
  },
};

/** Everything is checked before a store is opened, so that a mistake leaves none behind. */
async function newSet({ args, options, loaded, workingDirectory }: Call<Options>): Promise<NewSet> {
  const slug = parseSlug(args[0]!);
  const { root, records, urlPrefix, resourceRootDir, title, exclude = [], pageSize, windowSize, publishHash } = options;
  if (root === undefined && records === undefined && urlPrefix === undefined) {
    throw new TidemarkError(
      'invalid',
      'a set needs --root FOLDER or --root s3://BUCKET/PREFIX, --records PROVIDER/ACTIVITY, or --url-prefix URL when another server has its files',
    );
  }
  if (records !== undefined) refuseWithRecords(options);
  parseExclusions(exclude);
  const given = root === undefined ? undefined : await givenRoot(root, workingDirectory, loaded.configuration);
  return {
    slug,
    title,
    root: given?.root,
    records,
    presignedSeconds: presignedSeconds(options, given?.root),
    urlPrefix,
    resourceRootDir: resourceRootDir === undefined ? undefined : resolve(workingDirectory, resourceRootDir),
    exclude: [...exclude, ...(given?.ownFiles ?? [])],
    pageEntries: pageSize,
    windowChanges: windowSize,
    publishHashes: publishHash,
    private: options.private,
  };
}

/** What says where files are, or who posts, says nothing of records. */
function refuseWithRecords({ root, resourceRootDir, exclude }: Options): void {
  const given = [
    ['--root', root],
    ['--resource-root-dir', resourceRootDir],
    ['--exclude', exclude],
  ] as const;
  const [option] = given.find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return;
  throw new TidemarkError('invalid', `a set of records has no files: leave out --records or ${option}`, { option });
}
