import { describeStore } from '../../config/configuration.ts';
import { toSetFields } from '../../config/set-settings.ts';
import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { parseSlug, type ResourceSet } from '../../core/resource-set.ts';
import { sourceHome } from '../../core/set-uris.ts';
import { setUris } from '../../publish/documents.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { givenRoot } from '../given-root.ts';
import { type Source, serveSource } from '../serve-source.ts';
import { SERVER_SETTINGS } from '../server-settings.ts';
import { refuseOtherFolder, setOfFolder } from '../set-of-folder.ts';
import { addSetOptions, readSetOptions } from '../set-options.ts';
import { announceChanges } from '../ui/announce-changes.ts';
import { printSyncEvents } from '../ui/print-sync-events.ts';
import { type ScanBar, startScanBar } from '../ui/scan-bar.ts';
import { plural } from '../ui/table.ts';

interface Options {
  readonly id?: string;
  readonly confirmMove?: boolean;
}

const STOPPED =
  'Stopped before everything was read. What was read is kept, and the same command goes on with the rest of it.';

export const publish: CliCommand<Options> = {
  usage: 'publish <folder>',
  summary:
    'Publishes a folder or a bucket (s3://…), and every change of its files, until Ctrl-C; later goes on with the same history.',
  settings: SERVER_SETTINGS,

  options(command) {
    command
      .option('--id <id>', "the set's name in URLs (default: made from the folder's name)")
      .option('--confirm-move', 'yes, change the base URL and begin a new history');
    addSetOptions(command, 'publish');
  },

  async run(call) {
    const { options, loaded, terminal, workingDirectory, stopped } = call;
    const { dataFolder, sources } = loaded.configuration;
    if (!sources) throw noSources();
    const { origin, ownFiles } = await givenRoot(call.args[0]!, workingDirectory, loaded.configuration);
    const values = readSetOptions(options, 'publish', workingDirectory);
    toSetFields(values, origin);
    if (options.id !== undefined) parseSlug(options.id);
    let published: ResourceSet | undefined;
    let bar: ScanBar | undefined;
    const serving = serveSource(call, {
      confirmed: options.confirmMove === true,
      check: (app) => refuseOtherFolder(app, { origin, dataFolder }),
      async prepare(app) {
        published = await setOfFolder(app, { id: options.id, values, origin, ownFiles });
        if (ownFiles.length > 0)
          terminal.say(`Left out, because Tidemark keeps its own files there: ${ownFiles.join(' ')}`);
        bar = startScanBar(terminal, app.rootOf(published).root);
      },
      eventsOf: (set) => printSyncEvents(terminal, set, set.id === published?.id ? bar : undefined),
      async running(source) {
        const isReady = await source.loops.ready(published!.id);
        bar?.end();
        if (!isReady) return terminal.say(STOPPED);
        // Changes are shown from here on, also those during the messages below.
        const after = await source.app.index.watermark();
        await tellWhere(call, source, published!);
        await announceChanges(source.app, { after, terminal, signal: stopped });
      },
    });
    await serving.finally(() => bar?.end());
    return EXIT.done;
  },
};

function noSources(): TidemarkError {
  const message =
    'the setting "sources" is false: "tidemark publish" keeps a folder in sync, so use "tidemark serve", or leave the setting out';
  return new TidemarkError('invalid', message, { field: 'sources' });
}

async function tellWhere({ terminal, loaded }: Call<Options>, source: Source, set: ResourceSet): Promise<void> {
  const { app, baseUrl } = source;
  const home = sourceHome(baseUrl);
  const { sourceDescription, resourceList, changeList } = setUris(baseUrl, set.slug);
  const { resources } = await app.index.summary(set.id);
  const { root } = traitsOf(set.origin);
  const text = `
Published ${root} as "${set.slug}": ${plural(resources, 'file')}.

  Web page            ${home}
  Source Description  ${sourceDescription}
  Resource List       ${resourceList}
  Change List         ${changeList}

Watching it: files that are added, edited, moved or removed show up as changes.
The history is kept in ${describeStore(loaded.configuration.store)}. Ctrl-C stops; the same command goes on with it later.
`;
  const documents = { sourceDescription, resourceList, changeList };
  await terminal.print(text, { event: 'published', set: set.slug, root, resources, home, ...documents });
}
