import type { App } from '../../app.ts';
import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { scan } from '../../sources/sync/scan.ts';
import type { ScanProgress, ScanSummary } from '../../sources/sync/scan-summary.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { printableLine } from '../ui/printable.ts';
import { type Progress, startProgress } from '../ui/progress.ts';
import { formatCount, plural } from '../ui/table.ts';
import type { Terminal } from '../ui/terminal.ts';
import { withExistingApp } from '../with-app.ts';
import {
  describeRecordsProgress,
  describeRecordsScan,
  scanRecords,
  tellDuplicates,
  viewRecordsScan,
} from './scan-records.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly acceptEmpty?: boolean;
  readonly acceptOlder?: boolean;
}

const PRINTED_PROBLEMS = 100;

export const scanSet: CliCommand<Options> = {
  usage: 'scan <id>',
  summary:
    "Compares a set's folder, or the newest artifact of its records, with what is known of it, and posts the differences.",
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--dry-run', 'post nothing, and tell what would be done')
      .option(
        '--rehash',
        'read every file, also those that look as they did at the last scan; compare an artifact again',
      )
      .option('--accept-empty', 'of records: let an artifact without any take away all that there are')
      .option(
        '--accept-older',
        'of records: go back to the newest artifact that is there, when the one that the set tells is gone',
      );
  },

  async run(call) {
    const slug = call.args[0]!;
    const progress = startProgress(call.terminal);
    const told = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      return set.origin.kind === 'artifact'
        ? compare(call, app, { set, progress })
        : scanRoot(call, app, { set, progress });
    }).finally(() => progress.end());
    tellProblems(told, call.terminal);
    await call.terminal.print(told.text, told.view);
    return told.problemCount > 0 ? EXIT.failed : EXIT.done;
  },
};

function tellProblems({ problems, problemCount }: Told, terminal: Terminal): void {
  for (const { path, problem } of problems.slice(0, PRINTED_PROBLEMS))
    terminal.tell(printableLine(`${path}: ${problem}`));
  const more = problemCount - PRINTED_PROBLEMS;
  if (more > 0) terminal.tell(`… and ${formatCount(more)} more; --json lists up to 1,000`);
}

interface Scanning {
  readonly set: ResourceSet;
  readonly progress: Progress;
}

/** What is told at the end. */
interface Told extends Pick<ScanSummary, 'problems' | 'problemCount'> {
  readonly text: string;
  readonly view: object;
}

async function scanRoot({ options, stopped }: Call<Options>, app: App, { set, progress }: Scanning): Promise<Told> {
  const { slug } = set;
  if (traitsOf(set.origin).source === undefined)
    throw new TidemarkError('invalid', `the set ${slug} has no root to scan`, { set: slug });
  const { dryRun = false, rehash } = options;
  const done = await scan({
    dryRun,
    rehash,
    ...app.rootOf(set),
    set,
    index: app.index,
    updater: app.updater,
    signal: stopped,
    onProgress: ({ files, hashed, bytes }) => {
      progress.tell(`scanning: ${plural(files, 'file')}, ${formatCount(hashed)} hashed (${formatBytes(bytes)})`);
    },
  });
  if (!dryRun) {
    app.journal.noteScan(set, done);
    await app.sets.markReady(slug);
  }
  return { ...done, text: describe(slug, done, options), view: { set: slug, dryRun, ...done } };
}

async function compare(call: Call<Options>, app: App, { set, progress }: Scanning): Promise<Told> {
  const { options, stopped: signal, terminal } = call;
  const onProgress = (told: ScanProgress) => progress.tell(describeRecordsProgress(told));
  const done = await scanRecords(app, set, { options, signal, onProgress });
  progress.end();
  if (done !== undefined) tellDuplicates(done, terminal);
  const dryRun = options.dryRun === true;
  return {
    problems: done?.problems ?? [],
    problemCount: done?.problemCount ?? 0,
    text: describeRecordsScan(set.slug, done, dryRun),
    view: viewRecordsScan(set.slug, done, dryRun),
  };
}

function describe(slug: string, summary: ScanSummary, { dryRun = false }: Options): string {
  const { files, created, updated, deleted, left, problemCount, seconds } = summary;
  const would = dryRun ? ' (nothing was posted)' : '';
  const changes = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
  const rest = [
    left > 0 ? `; ${plural(left, 'file')} being written: scan again` : '',
    problemCount > 0 ? `; ${plural(problemCount, 'path')} could not be read or published` : '',
  ];
  return `${slug}: ${plural(files, 'file')} in ${seconds.toFixed(1)} s: ${changes}${would}${rest.join('')}.`;
}
