import type { Configuration } from '../../../config/configuration.ts';
import { type SetValues, toSetFields } from '../../../config/set-settings.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { type Origin, traitsOf } from '../../../core/origin.ts';
import { parseSlug } from '../../../core/resource-set.ts';
import type { NewSet } from '../../../sets/new-set.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { type GivenRoot, givenRoot } from '../../given-root.ts';
import { recordsSource } from '../../options.ts';
import { addSetOptions, readSetOptions } from '../../set-options.ts';
import { viewSet } from '../../set-view.ts';
import { settleBaseUrl } from '../../settle-base-url.ts';
import { withApp } from '../../with-app.ts';

export const setsAdd: CliCommand = {
  group: 'sets',
  usage: 'add <id>',
  summary:
    'Adds a set: of a folder or a bucket (--root), of the records of artifacts (--records), or of resources that are served elsewhere (--url-prefix).',
  settings: ['baseUrl', 'port'],

  options(command) {
    addSetOptions(command, 'sets add');
  },

  async run(call) {
    const set = await newSet(call);
    return withApp(call, async (app) => {
      await settleBaseUrl(app, call.loaded);
      const view = await viewSet(app, await app.sets.add(set));
      await call.terminal.print(`Added the set ${view.set}: ${view.documents.capabilityList}`, view);
      const { source, entry } = traitsOf(set.origin);
      if (source !== undefined)
        call.terminal.say(`Read its ${entry}s with "tidemark scan ${view.set}", or serve it with "tidemark serve".`);
      return EXIT.done;
    });
  },
};

/** Checks everything before a store is opened, so that a mistake leaves no store behind. */
async function newSet({ args, options, loaded, workingDirectory }: Call): Promise<NewSet & { origin: Origin }> {
  const slug = parseSlug(args[0]!);
  const values = readSetOptions(options, 'sets add', workingDirectory);
  const { origin, ownFiles } = await givenOrigin(values, workingDirectory, loaded.configuration);
  const fields = toSetFields(values, origin);
  const urlPrefix = values.urlPrefix ?? undefined;
  return { ...fields, slug, origin, urlPrefix, exclude: [...(values.exclude ?? []), ...ownFiles] };
}

/** Each kind of source is named by a setting of its own. */
async function givenOrigin(
  { root, records, urlPrefix }: SetValues,
  workingDirectory: string,
  configuration: Configuration,
): Promise<GivenRoot> {
  if (typeof records === 'string') return { origin: { kind: 'artifact', ...recordsSource(records) }, ownFiles: [] };
  if (typeof root === 'string') return givenRoot(root, workingDirectory, configuration);
  if (typeof urlPrefix === 'string') return { origin: { kind: 'posted' }, ownFiles: [] };
  throw new TidemarkError(
    'invalid',
    'a set needs --root FOLDER or --root s3://BUCKET/PREFIX, --records PROVIDER/ACTIVITY, or --url-prefix URL when another server has its files',
  );
}
