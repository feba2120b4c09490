import { settingsTakenBy } from '../../config/settings.ts';
import { traitsOf } from '../../core/origin.ts';
import { sourceHome } from '../../core/set-uris.ts';
import { formatCount } from '../../lib/format-count.ts';
import { setUris } from '../../publish/documents.ts';
import { mirrorCommands } from '../../publish/mirror-commands.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';
import { describeStore } from '../../stores/locations.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { CONFIRM_ROOT } from '../confirm-root.ts';
import { type PublishedFolder, publishFolder } from '../serving/publish-folder.ts';
import type { Source } from '../serving/serve-source.ts';
import { addSetOptions, readSetOptions } from '../set-options.ts';
import { plural } from '../ui/table.ts';

interface Options {
  readonly id?: string;
  readonly confirmMove?: boolean;
  readonly confirmRoot?: boolean;
}

export const publish: CliCommand<Options> = {
  usage: 'publish <folder>',
  runsJobs: true,
  summary:
    'Publishes a folder or a bucket (s3://…), and every change of its files, until Ctrl-C; later goes on with the same history.',
  examples: [
    ['publish maps', 'publishes ./maps at http://localhost:8080 until Ctrl-C'],
    ["publish maps --title 'Maps of Europe' --exclude '*.tmp'", 'with a title, and without some files'],
    ["publish maps --keep-versions --dump '0 3 * * *'", 'keeps every version, and packs a dump every night at 3:00'],
    ["publish 's3://maps/scans/?endpoint=https://s3.example.org'", 'publishes what is below a prefix of a bucket'],
  ],
  settings: settingsTakenBy('publish'),

  options(command) {
    command
      .option('--id <id>', "the set's name in URLs (default: made from the folder's name)")
      .option('--confirm-move', 'yes, change the base URL and begin a new history')
      .option(...CONFIRM_ROOT);
    addSetOptions(command, 'publish');
  },

  async run(call) {
    const { options, workingDirectory } = call;
    await publishFolder(call, {
      root: call.args[0]!,
      id: options.id,
      values: readSetOptions(options, 'publish', workingDirectory),
      confirmed: options.confirmMove === true,
      confirmedRoot: options.confirmRoot === true,
      onPublished: (source, published) => tellWhere(call, source, published),
    });
  },
};

async function tellWhere(
  { terminal, loaded, program }: Call<Options>,
  source: Source,
  { set, isKnown, found }: PublishedFolder,
): Promise<void> {
  const { app, baseUrl } = source;
  const home = sourceHome(baseUrl);
  const { sourceDescription, resourceList, changeList } = setUris(baseUrl, set.slug);
  const { resources } = await app.index.summary(set.id);
  const { root } = traitsOf(set.origin);
  const copies = mirrorCommands(set, baseUrl, program).map(({ command }) => command);
  const { created, updated, deleted, skipped, hidden, problemCount } = found;
  const text = `
Published ${root} as "${set.slug}": ${plural(resources, 'file')}${problemCount > 0 ? `; ${plural(problemCount, 'path')} could not be read or published, as listed above` : ''}.${isKnown ? `\nSince it was last published: ${describeChanges(found)}.` : ''}

  Web page            ${home}
  Source Description  ${sourceDescription}
  Resource List       ${resourceList}
  Change List         ${changeList}
  To copy it          ${copies.join(`\n${' '.repeat(22)}`)}

Watching it: files that are added, edited, moved or removed show up as changes.
The history is kept in ${describeStore(loaded.configuration.store)}. Ctrl-C stops; the same command goes on with it later.
`;
  const sinceLastTime = isKnown ? { sinceLastTime: { created, updated, deleted } } : {};
  const documents = { sourceDescription, resourceList, changeList };
  await terminal.print(text, {
    event: 'published',
    set: set.slug,
    root,
    resources,
    skipped,
    hidden,
    ...(problemCount > 0 && { problemCount }),
    home,
    ...documents,
    ...sinceLastTime,
  });
}

function describeChanges({ created, updated, deleted }: SyncSummary): string {
  if (created + updated + deleted === 0) return 'nothing has changed';
  return `${formatCount(created)} new, ${formatCount(updated)} changed, ${formatCount(deleted)} deleted`;
}
