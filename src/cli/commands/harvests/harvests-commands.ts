import { setTimeout as wait } from 'node:timers/promises';
import {
  type HarvestView,
  harvestErrorView,
  harvestView,
  receivedOf,
  stateText,
} from '../../../api/harvest-run-view.ts';
import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type HarvestRun, isOpenHarvest, parseHarvestNumber } from '../../../records/collections/harvest-run.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeHarvest, errorText } from './describe-harvest.ts';

const POLL_MS = 500;
const FIRST_ERRORS = 20;
const ERRORS_AT_ONCE = 500;

interface ListOptions {
  readonly limit: number;
}

export const harvestsList: CliCommand<ListOptions> = {
  group: 'harvests',
  usage: 'list <collection>',
  summary: 'Lists the harvests of a collection, newest first.',
  examples: [['harvests list arxiv', 'lists the last ones, with their numbers']],

  options(command) {
    command.option('--limit <number>', 'how many, at most', wholeNumber(1, 10_000), 20);
  },

  async run(call) {
    const [id = ''] = call.args;
    const harvests = await withExistingApp(call, async ({ records: { collections, harvestRuns } }) => {
      const { provider } = await collections.get(id);
      const runs = await harvestRuns.list(id, { limit: call.options.limit });
      return runs.map((run) => harvestView(run, provider));
    });
    const heads = [
      'NUMBER',
      'KIND',
      'ADDED (UTC)',
      'STATUS',
      'RECEIVED',
      'CREATED',
      'UPDATED',
      'DELETED',
      'ERRORS',
      '',
    ];
    const table = formatTable(heads, harvests.map(rowOf));
    await call.terminal.print(harvests.length === 0 ? 'There is no harvest.' : table, { collection: id, harvests });
  },
};

function rowOf(view: HarvestView): readonly (string | number)[] {
  const { number, kind, added, outcome, failure = '' } = view;
  const { created, updated, deleted, errors } = outcome ?? {};
  const counts = [created, updated, deleted, errors].map((count) => (count === undefined ? '' : formatCount(count)));
  return [number, kind, added.slice(0, 19), stateText(view), receivedOf(view).records, ...counts, failure];
}

interface ShowOptions {
  readonly wait?: true;
}

export const harvestsShow: CliCommand<ShowOptions> = {
  group: 'harvests',
  usage: 'show <collection> [number]',
  summary: 'Shows a harvest: its status, what was received, what became of it, and its first errors.',
  examples: [
    ['harvests show arxiv', 'shows the last one'],
    ['harvests show arxiv 12 --wait', 'waits until it has ended: for scripts'],
  ],

  options(command) {
    command.option('--wait', 'wait until it has ended: the exit code is 1 unless its status is 2');
  },

  async run(call) {
    const { wait: isToWait } = call.options;
    const { view, errors } = await withExistingApp(call, async ({ records: { collections, harvestRuns } }) => {
      let run = await namedHarvest(harvestRuns, call.args);
      while (isToWait && isOpenHarvest(run)) {
        await wait(POLL_MS, undefined, { signal: call.stopped });
        run = await harvestRuns.get(run);
      }
      const view = harvestView(run, (await collections.get(run.collection)).provider);
      const { errata } = await harvestRuns.errata(run, { at: 0, limit: FIRST_ERRORS });
      return { view, errors: errata.map(harvestErrorView) };
    });
    await call.terminal.print(describeHarvest(view, errors), { ...view, firstErrors: errors });
    return isToWait && view.status !== 2 ? EXIT.failed : EXIT.done;
  },
};

export const harvestsErrors: CliCommand = {
  group: 'harvests',
  usage: 'errors <collection> [number]',
  summary: 'Lists the records of a harvest that could not be read or transformed, with the reason.',
  examples: [
    ['harvests errors arxiv', 'lists those of the last harvest, one in a line'],
    ['harvests errors arxiv 12 --json', 'the same of another one, each as a line of JSON'],
  ],

  async run(call) {
    await withExistingApp(call, async ({ records: { harvestRuns } }) => {
      const run = await namedHarvest(harvestRuns, call.args);
      let [at, listed]: [number | undefined, number] = [0, 0];
      while (at !== undefined) {
        const page = await harvestRuns.errata(run, { at, limit: ERRORS_AT_ONCE });
        for (const erratum of page.errata) {
          const error = harvestErrorView(erratum);
          await call.terminal.print(errorText(error), error);
        }
        listed += page.errata.length;
        at = page.next;
      }
      if (listed === 0) call.terminal.say(noErrors(run));
    });
  },
};

function noErrors(run: HarvestRun): string {
  const { number, failure } = run;
  const which = `The harvest ${run.collection}/${number}`;
  if (isOpenHarvest(run)) return `${which} has not ended yet.`;
  return failure === undefined ? `${which} has no errors.` : `${which} has failed: ${printableLine(failure)}`;
}

type Runs = Pick<App['records']['harvestRuns'], 'get' | 'list'>;

/** The harvest that a number names; without one, the last one. @throws TidemarkError `invalid`, `not-found` */
async function namedHarvest(harvestRuns: Runs, args: readonly string[]): Promise<HarvestRun> {
  const [collection = '', text] = args;
  if (text !== undefined) return harvestRuns.get({ collection, number: parseHarvestNumber(text) });
  const [last] = await harvestRuns.list(collection, { limit: 1 });
  if (last !== undefined) return last;
  const message = `${collection} was not harvested yet: "tidemark harvest ${collection}" does it`;
  throw new TidemarkError('not-found', message, { collection });
}
