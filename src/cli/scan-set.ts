import { TidemarkError } from '../domain/errors.ts';
import { scan } from '../updater/scan.ts';
import type { ScanSummary } from '../updater/scan-summary.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { formatSize } from './format-size.ts';
import { startProgress } from './progress.ts';
import { formatCount, plural } from './table.ts';
import { withExistingApp } from './with-app.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
}

const PRINTED_PROBLEMS = 100;

export const scanSet: CliCommand<Options> = {
  usage: 'scan <id>',
  summary: "Compares a set's folder with what is known of it, and posts the differences.",

  options(command) {
    command
      .option('--dry-run', 'post nothing, and tell what would be done')
      .option('--rehash', 'read every file, also those that look as they did at the last scan');
  },

  async run(call) {
    const { terminal, options, stopped } = call;
    const slug = call.args[0]!;
    const progress = startProgress(terminal);
    const summary = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      if (set.root === undefined)
        throw new TidemarkError('invalid', `the set ${slug} has no root to scan`, { set: slug });
      const done = await scan({
        ...options,
        ...app.rootOf(set),
        set,
        index: app.index,
        updater: app.updater,
        signal: stopped,
        onProgress: ({ files, hashed, bytes }) => {
          progress.tell(`scanning: ${plural(files, 'file')}, ${formatCount(hashed)} hashed (${formatSize(bytes)})`);
        },
      });
      if (!options.dryRun) {
        app.journal.noteScan(set, done);
        await app.sets.markReady(slug);
      }
      return done;
    }).finally(() => progress.end());
    for (const { path, problem } of summary.problems.slice(0, PRINTED_PROBLEMS)) terminal.tell(`${path}: ${problem}`);
    await terminal.print(describe(slug, summary, options), { set: slug, dryRun: options.dryRun === true, ...summary });
    return summary.problemCount > 0 ? EXIT.failed : EXIT.done;
  },
};

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
