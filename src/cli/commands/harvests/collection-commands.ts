import type { Command } from 'commander';
import { collectionView } from '../../../api/collection-view.ts';
import { harvestView, receivedOf, stateText } from '../../../api/harvest-run-view.ts';
import { describeFreed } from '../../../api/removal-view.ts';
import type { App } from '../../../app.ts';
import type { Collection } from '../../../records/collections/collection.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { addOrganizations, changeOrganizations } from '../../with-organizations.ts';
import { nothingToChange } from '../organizations/nothing-to-change.ts';
import { addCollectionOptions, type CollectionOptions, givenCollection } from './collection-options.ts';
import { describeCollection } from './describe-collection.ts';

/** Without the base URL of this source: here, `--base-url` is that of a repository. */
const SETTINGS = ['port', 'harvestNetworks'] as const;

const viewOf = (app: App, collection: Collection) =>
  collectionView(collection, { isWhole: true, timeZone: app.configuration.timeZone });

interface AddOptions extends CollectionOptions {
  readonly provider?: string;
}

export const collectionsAdd: CliCommand<AddOptions> = {
  group: 'collections',
  usage: 'add <collection>',
  summary: 'Adds a collection: an OAI-PMH repository, or sets of it, in one format. The repository is asked at once.',
  examples: [
    ['collections add arxiv --base-url https://oai.example.org/oai --format oai_dc', 'adds one; then harvest it'],
    [
      "collections add maps --base-url https://oai.example.org/oai --format oai_dc --set maps --schedule '15 2 * * *'",
      'one set of it, each night',
    ],
    [
      'collections add arxiv-mods --provider arxiv --base-url https://oai.example.org/oai --format mods',
      'another format of the same source',
    ],
  ],
  settings: SETTINGS,

  options(command) {
    command
      .requiredOption('--base-url <url>', 'the address of the repository')
      .requiredOption('--format <prefix>', 'the prefix of the metadata format, such as oai_dc')
      .option('--provider <organization>', 'whose it is (default: an organization with the id of the collection)');
    addCollectionOptions(command);
  },

  async run(call) {
    const [id = ''] = call.args;
    const { baseUrl = '', format = '', provider } = call.options;
    const fields = { ...givenCollection(call), baseUrl, format };
    const view = await addOrganizations(call, async (app) =>
      viewOf(app, await app.records.collections.add(id, { ...fields, ...(provider !== undefined && { provider }) })),
    );
    await call.terminal.print(`Added the collection ${id}: ${view.repository.name}.`, view);
    call.terminal.say(`Harvest it: "tidemark harvest ${id}". Its records are published as the set ${id}.`);
  },
};

export const collectionsList: CliCommand = {
  group: 'collections',
  usage: 'list',
  summary: 'Lists the collections, with the last harvest of each.',
  examples: [['collections list', 'lists them with the numbers of their last harvests']],

  async run(call) {
    const found = await withExistingApp(call, async (app) => {
      const { collections, harvestRuns } = app.records;
      const views = [];
      for (const one of await collections.list()) {
        const [last] = await harvestRuns.list(one.id, { limit: 1 });
        views.push({ view: viewOf(app, one), last: last && harvestView(last, one.provider) });
      }
      return views;
    });
    const rows = found.map(({ view, last }) => [
      view.collection,
      view.format,
      last === undefined ? 'never' : stateText(last),
      last === undefined ? '' : (last.ended ?? last.added).slice(0, 19),
      last === undefined ? '' : receivedOf(last).records,
      view.next?.slice(0, 16) ?? '',
      view.baseUrl,
    ]);
    const table = formatTable(['COLLECTION', 'FORMAT', 'LAST', 'AT (UTC)', 'RECEIVED', 'NEXT', 'REPOSITORY'], rows);
    const collections = found.map(({ view, last }) => ({ ...view, ...(last !== undefined && { lastHarvest: last }) }));
    await call.terminal.print(rows.length === 0 ? 'There is no collection.' : table, { collections });
  },
};

export const collectionsShow: CliCommand = {
  group: 'collections',
  usage: 'show <collection>',
  summary: 'Shows the settings of a collection, and what its repository says of itself.',
  examples: [['collections show arxiv --json', 'with the formats and sets of the repository']],

  async run(call) {
    const view = await withExistingApp(call, async (app) =>
      viewOf(app, await app.records.collections.get(call.args[0]!)),
    );
    await call.terminal.print(describeCollection(view), view);
  },
};

export const collectionsChange: CliCommand<CollectionOptions> = {
  group: 'collections',
  usage: 'change <collection>',
  summary: "Changes a collection, from its next run on. An empty value, such as --schedule '', removes a setting.",
  examples: [
    ["collections change arxiv --schedule '15 2 * * *' --full-schedule '0 3 * * 0'", 'each night, and all each Sunday'],
    ["collections change arxiv --set ''", 'harvests all records instead of some sets'],
  ],
  settings: SETTINGS,

  options: addChangeOptions,

  async run(call) {
    const [id = ''] = call.args;
    const changes = givenCollection(call);
    if (Object.keys(changes).length === 0) throw nothingToChange(addChangeOptions);
    const view = await changeOrganizations(call, async (app) =>
      viewOf(app, await app.records.collections.change(id, changes)),
    );
    await call.terminal.print(`Changed the collection ${id}.`, view);
  },
};

function addChangeOptions(command: Command): void {
  command
    .option('--base-url <url>', 'the address of the repository, if it has moved')
    .option('--format <prefix>', 'the prefix of the metadata format');
  addCollectionOptions(command);
  command
    .option('--no-validate', 'do not check metadata by its schema')
    .option('--no-require-uri', 'take records without an identifier that is a URI');
}

interface RemoveOptions {
  readonly confirm?: boolean;
}

export const collectionsRemove: CliCommand<RemoveOptions> = {
  group: 'collections',
  usage: 'remove <collection>',
  summary:
    'Removes a collection: it is harvested no more. Its set and its records stay, unless --confirm removes them, too.',
  examples: [
    ['collections remove arxiv', 'forgets its settings, and ends its schedules'],
    ['collections remove arxiv --confirm', 'removes its set, its records and what was harvested, for good'],
  ],
  settings: ['port', 'artifacts', 's3Timeout'],

  options(command) {
    command.option('--confirm', 'yes, remove its set, its records and what was harvested, too');
  },

  async run(call) {
    const [id = ''] = call.args;
    if (call.options.confirm === true) {
      await removeWhole(call, id);
      return;
    }
    await changeOrganizations(call, ({ records: { collections } }) => collections.remove(id));
    await call.terminal.print(`Removed the collection ${id}. Its set and its records stay.`, { removed: id });
  },
};

/** A collection that was removed before may have left its stream. */
async function removeWhole(call: Call<RemoveOptions>, id: string): Promise<void> {
  const freed = await withExistingApp(call, async ({ records: { collections, streamRemovals } }) => {
    const name = { organization: await collections.providerOf(id), stream: id };
    const freed = await streamRemovals.measureStream(name, { withCollection: true });
    await streamRemovals.beginStream(name, { withCollection: true });
    await streamRemovals.endStream(name, call.stopped);
    return freed;
  });
  const text = `Removed the collection ${id}: ${describeFreed(freed)}. Its id and those of its sets stay taken.`;
  await call.terminal.print(text, { removed: id, ...freed });
}
