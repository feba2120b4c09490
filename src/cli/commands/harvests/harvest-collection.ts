import { type HarvestView, harvestErrorView, harvestView } from '../../../api/harvest-run-view.ts';
import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { armFailpoint } from '../../../lib/failpoint.ts';
import {
  type HarvestKind,
  type HarvestRequest,
  type HarvestRun,
  harvestText,
} from '../../../records/collections/harvest-run.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeOutcome, errorText } from './describe-harvest.ts';
import { startHarvestBar } from './harvest-bar.ts';

interface Options {
  readonly full?: true;
  readonly test?: true;
  readonly check?: true;
  readonly again?: number;
  readonly force?: true;
  readonly queue?: true;
}

const FIRST_ERRORS = 10;

export const harvestCollection: CliCommand<Options> = {
  usage: 'harvest <collection>',
  summary: 'Harvests a collection: what has changed since the last harvest, or with --full all of it.',
  examples: [
    ['harvest arxiv', 'asks for what has changed; the first time, for all'],
    ['harvest arxiv --full', 'asks for all, and deletes what the repository does not have any more'],
    ['harvest arxiv --test', 'reads and transforms some records, and changes nothing'],
    [
      'harvest arxiv --again 12',
      'reads the stored responses of harvest 12 and later, such as after another transform was set',
    ],
    ['harvest arxiv --queue', 'has a server do it'],
  ],
  settings: [
    ...(['artifacts', 'dropLimit', 'dropWarning', 'recordTimeout', 's3Timeout', 'harvestNetworks'] as const),
    ...(['nsdlFolder', 'nsdlPieceItems', 'nsdlMessage'] as const),
  ],

  options(command) {
    command
      .option('--full', 'all records; those that it does not see are deleted')
      .option('--test', 'up to 1,000 records; nothing is stored or changed')
      .option('--check', 'the first page of each list; nothing is stored or changed')
      .option(
        '--again <number>',
        'the stored responses of this harvest and later ones, with the present settings',
        wholeNumber(1, 1e9),
      )
      .option('--force', 'accept that far more records are deleted than usual')
      .option('--queue', 'add a job that does it in a server or a worker process');
  },

  async run(call) {
    armFailpoint(call.loaded.configuration.failpoint);
    const { force, again: of, queue } = call.options;
    const request = { kind: kindOf(call.options), ...(force && { force }), ...(of !== undefined && { of }) };
    return withExistingApp(call, async ({ records }) => {
      const { id, provider } = await records.collections.get(call.args[0]!);
      if (queue) {
        const run = await records.harvestRuns.queue(id, request, { by: 'command' });
        await call.terminal.print(
          `Added the job ${run.job} of the harvest ${harvestText(run)}.`,
          harvestView(run, provider),
        );
        return EXIT.done;
      }
      const run = await runHere(call, records.harvestRunner, { id, request });
      const view = harvestView(run, provider);
      const { errata } = await records.harvestRuns.errata(run, { at: 0, limit: FIRST_ERRORS });
      for (const erratum of errata) call.terminal.say(errorText(harvestErrorView(erratum)));
      await call.terminal.print(describeOutcome(view).join('\n'), view);
      for (const hint of hintsOf(view)) call.terminal.say(hint);
      return view.status === 2 ? EXIT.done : EXIT.failed;
    });
  },
};

/** @throws TidemarkError `invalid` when several kinds are given */
function kindOf({ full, test, check, again }: Options): HarvestKind {
  const given = Object.entries({ full, test, check, again }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    const message = `give one of ${given.map(([name]) => `--${name}`).join(' and ')}: they are different harvests`;
    throw new TidemarkError('invalid', message);
  }
  return (given[0]?.[0] ?? 'incremental') as HarvestKind;
}

async function runHere(
  { terminal, stopped: signal }: Call<Options>,
  runner: App['records']['harvestRunner'],
  { id, request }: { readonly id: string; readonly request: HarvestRequest },
): Promise<HarvestRun> {
  const bar = startHarvestBar(terminal);
  try {
    return await runner.runHere(id, request, {
      signal,
      report: (progress) => bar.update(progress),
      log: (text) => terminal.say(text),
    });
  } finally {
    bar.end();
  }
}

function hintsOf({ collection, number, outcome, status }: HarvestView): readonly string[] {
  const { errors = 0, warnings = 0 } = outcome ?? {};
  return [
    ...(errors + warnings > 0 ? [`List them all: "tidemark harvests errors ${collection} ${number}".`] : []),
    ...(status === 4 ? ['Nothing was changed.'] : []),
  ];
}
