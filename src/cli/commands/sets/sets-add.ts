import type { App } from '../../../app.ts';
import { latestArtifact } from '../../../artifacts/find-artifacts.ts';
import type { Activity } from '../../../artifacts/keys/activity.ts';
import { newSetFields } from '../../../config/set/new-set-fields.ts';
import { SOURCE_SETTINGS } from '../../../config/set/set-settings.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { formatProviderActivity, type Origin, traitsOf } from '../../../core/origin.ts';
import type { HiddenFiles } from '../../../core/resource-set.ts';
import { parseSlug, type ResourceSet } from '../../../core/resource-set.ts';
import { type NewSet, parseUrlPrefix } from '../../../sets/new-set.ts';
import { findSource } from '../../../sources/find-source.ts';
import { isHiddenPath, withHiddenPath } from '../../../sources/hidden-files.ts';
import { askServer } from '../../ask-server.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { CONFIRM_ROOT, confirmRoot } from '../../confirm-root.ts';
import { EXIT } from '../../exit-code.ts';
import { addSetOptions, readSetOptions } from '../../set-options.ts';
import { viewSet } from '../../set-view.ts';
import { keptBaseUrl, settleBaseUrl } from '../../settle-base-url.ts';
import { describeHidden } from '../../ui/describe-hidden.ts';
import { printableLine } from '../../ui/printable.ts';
import { withApp } from '../../with-app.ts';

interface Options {
  readonly confirmRoot?: boolean;
}

/** Number of files of a folder among which hidden ones are sought: a scan finds the others. */
const MOST_FILES = 10_000;

export const setsAdd: CliCommand<Options> = {
  group: 'sets',
  usage: 'add <id>',
  summary: `Adds a set: ${SOURCE_SETTINGS.map(({ source }) => `of ${source.summary}`).join(', ')}, or of resources that are served elsewhere (--url-prefix).`,
  examples: [
    ['sets add maps --root /srv/maps', 'the files of a folder'],
    [
      'sets add papers --url-prefix https://papers.example.org/',
      'resources that another server has, and whose changes are posted',
    ],
    ['sets add maps --from https://sync.example.org/', 'a copy of another source, published again'],
  ],
  settings: ['baseUrl', 'port'],

  options(command) {
    addSetOptions(command, 'sets add');
    command.option(...CONFIRM_ROOT);
  },

  async run(call) {
    const set = await newSet(call);
    return withApp(call, async (app) => {
      await settleBaseUrl(app, call.loaded);
      const added = await app.sets.add(set);
      const hidden = await hiddenFilesOf(app, added);
      const view = await viewSet(app, { ...added, hidden });
      await call.terminal.print(`Added the set ${view.set}: ${view.documents.capabilityList}`, view);
      if (hidden !== undefined) call.terminal.say(printableLine(describeHidden(added, hidden)));
      const { source, entry, from } = traitsOf(set.origin);
      // Any URL of a server may lead to its source.
      if (from !== undefined) call.terminal.say(`It copies ${from.set}.`);
      if (source !== undefined) {
        const { state } = await askServer(call.loaded.configuration, await keptBaseUrl(app));
        const hint =
          state === 'none'
            ? `Read its ${entry}s with "tidemark scan ${view.set}", or serve it with "tidemark serve".`
            : `The server that runs reads its ${entry}s within seconds: "tidemark status" shows when it is ready.`;
        call.terminal.say((await hintWithoutArtifact(app, set.origin)) ?? hint);
      }
      return EXIT.done;
    });
  },
};

/** The hidden files among the first files of a folder, before a scan finds all of them. */
async function hiddenFilesOf(app: App, set: ResourceSet): Promise<HiddenFiles | undefined> {
  if (traitsOf(set.origin).folder === undefined) return undefined;
  let hidden: HiddenFiles | undefined;
  let listed = 0;
  try {
    for await (const entries of app.sources.rootOf(set).root.list()) {
      for (const { path, problem } of entries)
        if (problem === undefined && isHiddenPath(path)) hidden = withHiddenPath(path, hidden);
      listed += entries.length;
      if (listed >= MOST_FILES) break;
    }
  } catch (error) {
    // The set is added all the same, and its scan reports that.
    if (!isTidemarkError(error, 'unavailable')) throw error;
  }
  return hidden;
}

/** What to do when there are no records yet; undefined for other sets, and while the artifact store is away. */
async function hintWithoutArtifact({ artifacts }: App, origin: Origin): Promise<string | undefined> {
  if (origin.kind !== 'artifact') return undefined;
  const { provider } = origin;
  const activity = origin.activity as Activity;
  try {
    if ((await latestArtifact(artifacts, { provider, activity })) !== undefined) return undefined;
  } catch (error) {
    if (isTidemarkError(error, 'unavailable')) return undefined;
    throw error;
  }
  const source = formatProviderActivity(origin);
  return `There is no artifact of ${source} yet, so the set is not ready, and /readyz of its servers answers 503: "tidemark activity run ${activity} ${provider}" makes one.`;
}

/** Checks everything before a store is opened, so that a mistake leaves no store behind. */
async function newSet(call: Call<Options>): Promise<NewSet & { origin: Origin }> {
  const { args, options, loaded, workingDirectory } = call;
  const slug = parseSlug(args[0]!);
  const values = readSetOptions(options, 'sets add', workingDirectory);
  const context = { configuration: loaded.configuration, workingDirectory, findSource, slug };
  const fields = await newSetFields(values, context);
  if (fields.urlPrefix !== undefined) parseUrlPrefix(fields.urlPrefix);
  await confirmRoot(call, fields.origin, options.confirmRoot === true);
  return { slug, ...fields };
}
