import { join } from 'node:path';
import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { exportEntities } from '../../../datasets/fatcat/export-entities.ts';
import { ENTITY_KINDS } from '../../../datasets/fatcat/make-entity.ts';
import { placesOfSets } from '../../../datasets/fatcat/places-of-sets.ts';
import { readReleases } from '../../../datasets/fatcat/read-releases.ts';
import { releaseRequest } from '../../../datasets/fatcat/release-requests.ts';
import { releaseStatuses } from '../../../datasets/fatcat/release-status.ts';
import { SkipCounts } from '../../../datasets/fatcat/skip-counts.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { openInput } from '../../open-input.ts';
import { oneOf } from '../../options.ts';
import { withExistingApp } from '../../with-app.ts';

const KINDS = [...ENTITY_KINDS, 'release'] as const;

interface EntitiesOptions {
  readonly kind: (typeof KINDS)[number];
  readonly set?: string;
}

export const datasetsEntities: CliCommand<EntitiesOptions> = {
  group: 'datasets',
  usage: 'entities [file]',
  summary: 'Writes stored datasets as entities of fatcat, one JSON object a line; says what was skipped, and why.',
  examples: [
    ['datasets entities --kind fileset > filesets.jsonl', 'datasets of several files'],
    ['datasets entities --kind file > files.jsonl', 'datasets of one file'],
    [
      'datasets entities --kind release releases.jsonl',
      'what is stored of each release in a file, or in standard input',
    ],
  ],

  options(command) {
    command
      .option('--kind <kind>', `one of ${KINDS.join(', ')}`, oneOf(...KINDS), 'fileset')
      .option('--set <id>', 'only datasets of this set');
  },

  async run(call) {
    const { kind, set } = call.options;
    if (kind !== 'release' && call.args.length > 0) {
      throw new TidemarkError('invalid', `a file is only read with --kind release, not with --kind ${kind}`);
    }
    const skipped = new SkipCounts();
    await withExistingApp(call, async (app) => {
      // A name that was mistyped must not give an empty list.
      if (set !== undefined) await app.sets.bySlug(set);
      await writeLines(call, {
        lines: await linesOf(call, app, skipped),
        skipped,
        one: kind === 'release' ? 'release' : `${kind} entity`,
      });
    });
  },
};

export const datasetsRequests: CliCommand = {
  group: 'datasets',
  usage: 'requests [file]',
  summary:
    'Turns releases of fatcat into requests of datasets, one JSON object a line; says what was skipped, and why.',
  examples: [
    ['datasets requests releases.jsonl | tidemark datasets add -', 'requests the datasets of a dump of fatcat'],
  ],

  async run(call) {
    const skipped = new SkipCounts();
    const releases = readReleases(await openInput(call, call.args[0] ?? '-', 'releases'), skipped);
    async function* requests() {
      for await (const release of releases) {
        const made = releaseRequest(release);
        if (made.skipped === undefined) yield made.request;
        else skipped.add(made.skipped);
      }
    }
    await writeLines(call, { lines: requests(), skipped, one: 'request' });
  },
};

/** The lines of `datasets entities`. */
async function linesOf(call: Call<EntitiesOptions>, app: App, skipped: SkipCounts): Promise<AsyncIterable<object>> {
  const { kind, set } = call.options;
  const { datasets } = app;
  const folder = join(app.configuration.dataFolder, 'spool');
  const exported = { datasets, set, folder, signal: call.stopped, placesOf: placesOfSets(app) };
  if (kind !== 'release') return exportEntities({ ...exported, kind, skipped });
  return releaseStatuses(readReleases(await openInput(call, call.args[0] ?? '-', 'releases'), skipped), exported);
}

interface Lines {
  readonly lines: AsyncIterable<object>;
  readonly skipped: SkipCounts;
  /** What a line is. */
  readonly one: string;
}

async function writeLines({ terminal, stopped }: Call, { lines, skipped, one }: Lines): Promise<void> {
  let written = 0;
  for await (const line of lines) {
    stopped.throwIfAborted();
    await terminal.write(`${JSON.stringify(line)}\n`);
    written += 1;
  }
  stopped.throwIfAborted();
  const many = one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`;
  const text = `${formatCount(written)} ${written === 1 ? one : many}; ${skipped.text()}`;
  terminal.log(terminal.json ? JSON.stringify({ written, skipped }) : text);
}
