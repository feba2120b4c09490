import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importLocation } from '../../config/import-location.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ImportedSet, ImportSummary, importIndex } from '../../ingest/import-index/import-index.ts';
import type { RejectedDocument, RejectedDocuments } from '../../ingest/import-index/rejected-documents.ts';
import type { TargetParts } from '../../ingest/import-index/target-sets.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { collect } from '../options.ts';
import { keptBaseUrl, settleBaseUrl } from '../settle-base-url.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { isNewStore, withApp } from '../with-app.ts';

interface Options {
  readonly set?: readonly string[];
  readonly urlPrefix?: string;
  readonly resourceRootDir?: string;
  readonly lenient?: boolean;
  readonly dryRun?: boolean;
}

/** Documents that are named for each kind of problem. */
const SHOWN_OF_A_CODE = 20;

const STEPS = { reading: 'Reading documents', posting: 'Posting changes', comparing: 'Comparing states' } as const;

export const importSets: CliCommand<Options> = {
  usage: 'import-index [url/index]',
  summary: 'Takes over an Elasticsearch index that another program wrote by the OpenMinTeD ResourceSync protocol.',
  examples: [['import-index http://localhost:9200/resources --dry-run', 'shows what would be taken over']],
  settings: ['importCa', 'baseUrl', 'port'],

  options(command) {
    command
      .option(
        '--set <name[=id]>',
        'take over this set only, optionally under another id; may be given several times',
        collect,
      )
      .option(
        '--url-prefix <url>',
        'prefix of locations of the type rel_path; {set} in it is replaced by the id of the set',
      )
      .option('--resource-root-dir <folder>', 'folder of locations of the type abs_path; {set} as above')
      .option('--lenient', 'take a document without its wrong fields, when these are optional')
      .option('--dry-run', 'only read, and print what would be taken over and what rejected');
  },

  async run(call) {
    const { terminal, options } = call;
    const summary = await (options.dryRun ? readOnly(call) : takeOver(call));
    const view = { dryRun: options.dryRun === true, ...summary };
    await terminal.print(describe(summary), view);
    if (options.dryRun) terminal.say('Nothing was written.');
    return summary.rejected.total > 0 ? EXIT.failed : EXIT.done;
  },
};

function takeOver(call: Call<Options>): Promise<ImportSummary> {
  // Reports wrong arguments before a store is made.
  importLocation(call.args[0], call.loaded.importing);
  return withApp(call, async (app) => {
    const { sets, index, updater } = app;
    const baseUrl = await settleBaseUrl(app, call.loaded);
    return run(call, { sets, index, baseUrl }, { sets, index, post: (events) => updater.post(events) });
  });
}

/** Only reads. Makes no store: without one there are no sets yet. */
async function readOnly(call: Call<Options>): Promise<ImportSummary> {
  const { configuration } = call.loaded;
  if (await isNewStore(configuration)) return run(call, { ...NO_SETS, baseUrl: configuration.baseUrl });
  return withApp(call, async ({ sets, index }) => {
    const baseUrl = (await keptBaseUrl({ sets })) ?? configuration.baseUrl;
    return run(call, { sets, index, baseUrl });
  });
}

async function run(
  { args, options, loaded, terminal, workingDirectory, stopped }: Call<Options>,
  parts: TargetParts,
  store?: Parameters<typeof importIndex>[0]['store'],
): Promise<ImportSummary> {
  const location = importLocation(args[0], loaded.importing);
  const { set = [], urlPrefix, resourceRootDir, lenient } = options;
  const folder = resourceRootDir === undefined ? undefined : resolve(workingDirectory, resourceRootDir);
  // Loaded only now: they load the client of Elasticsearch.
  const { importIndex } = await import('../../ingest/import-index/import-index.ts');
  const { TargetSets } = await import('../../ingest/import-index/target-sets.ts');
  const targets = new TargetSets(parts, { index: location.index, chosen: set, urlPrefix, resourceRootDir: folder });
  const bar = startCountBar(terminal);
  try {
    return await importIndex({
      location,
      targets,
      lenient,
      store,
      // Without a store, no data folder is made.
      folder: store === undefined ? tmpdir() : join(loaded.configuration.dataFolder, 'spool'),
      signal: stopped,
      onProgress: ({ step, done, total }) => bar.update(STEPS[step], done, total),
    });
  } finally {
    bar.end();
  }
}

const NO_SETS: Pick<TargetParts, 'sets' | 'index'> = {
  sets: {
    list: async () => [],
    async bySlug(slug) {
      throw new TidemarkError('not-found', `there is no set "${slug}"`);
    },
  },
  index: { summary: async () => ({ resources: 0, changes: 0, lastChange: 0 }) },
};

function describe({ documents, passedOver, leftOut, rejected, leftOutFields, sets }: ImportSummary): string {
  const lines = describeEach(rejected, ({ code }) => `rejected (${code})`);
  lines.push(...describeEach(leftOutFields, ({ code, field }) => `${field} left out (${code})`));
  const fields = Object.entries(leftOut).map(([field, count]) => `${field} (${formatCount(count)})`);
  if (fields.length > 0) lines.push(`Fields that are not of the protocol were left out: ${fields.join(', ')}`);
  lines.push(...sets.flatMap(describeSet));
  const left = leftOutFields.total > 0 ? `, ${plural(leftOutFields.total, 'wrong field')} left out` : '';
  const passed = passedOver > 0 ? `, ${formatCount(passedOver)} passed over` : '';
  lines.push(`${plural(documents, 'document')}: ${formatCount(rejected.total)} rejected${left}${passed}`);
  return lines.join('\n');
}

/** The first documents of each code, and how many more there are. */
function describeEach({ byCode, first }: RejectedDocuments, describe: (one: RejectedDocument) => string): string[] {
  return Object.entries(byCode).flatMap(([code, count]) => {
    const shown = first.filter((one) => one.code === code).slice(0, SHOWN_OF_A_CODE);
    const lines = shown.map((one) => `${one.index}/${one.id}: ${describe(one)}: ${one.message}`);
    if (count > shown.length)
      lines.push(`… and ${formatCount(count - shown.length)} more (${code}); --json lists more`);
    return lines;
  });
}

function describeSet(imported: ImportedSet): readonly string[] {
  const { set, name, isNew, resources, changes, acceptsName, history, settled } = imported;
  const title = `${set} ("${name}"${isNew ? ', new' : ''}): ${plural(resources, 'resource')} and ${plural(changes, 'change')}`;
  if (history === undefined || settled === undefined) return [title];
  const { created, updated, deleted, unchanged, known, restamped } = history;
  const counts = [
    `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted in its history`,
  ];
  if (known > 0) counts.push(`${formatCount(known)} known from an earlier import`);
  if (unchanged > 0) counts.push(`${formatCount(unchanged)} unchanged`);
  const lines = [`${title}; ${counts.join(', ')}`];
  if (restamped > 0) {
    const why = 'because the set is published already, or the store has later changes';
    lines.push(`  ${plural(restamped, 'change')} got a later time, ${why}`);
  }
  if (acceptsName === false) {
    lines.push(`  events with the resource_set "${name}" are rejected here, because that is the name of another set`);
  }
  if (settled.created + settled.updated + settled.deleted > 0) {
    const kinds = (['created', 'updated', 'deleted'] as const).map((kind) => `${formatCount(settled[kind])} ${kind}`);
    lines.push(`  by the resource documents, in no change: ${kinds.join(', ')}, as of now`);
  }
  return lines;
}
