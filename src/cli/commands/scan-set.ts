import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { sync } from '../../sources/sync/sync.ts';
import type { SyncProgress, SyncSummary } from '../../sources/sync-counter.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { describeHidden } from '../ui/describe-hidden.ts';
import { describeSkipped } from '../ui/describe-skipped.ts';
import { printableLine } from '../ui/printable.ts';
import { startProgress } from '../ui/progress.ts';
import { plural } from '../ui/table.ts';
import type { Terminal } from '../ui/terminal.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly acceptEmpty?: boolean;
  readonly acceptOlder?: boolean;
}

/** `summary` is undefined when the set was already in sync. */
interface Scanned {
  readonly set: ResourceSet;
  readonly summary: SyncSummary | undefined;
  readonly dryRun: boolean;
}

const PRINTED_PROBLEMS = 100;
const PRINTED_DUPLICATES = 10;

export const scanSet: CliCommand<Options> = {
  usage: 'scan <id>',
  summary:
    "Compares a set's folder, or the newest artifact of its records, with what is known of it, and posts the differences.",
  examples: [
    ['scan maps', 'compares the folder once, without a server'],
    ['scan maps --dry-run', 'shows what would change'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--dry-run', 'post nothing, and show what would be done')
      .option(
        '--rehash',
        'read every file, also those with the size and times of the last scan; compare an artifact again',
      )
      .option('--accept-empty', 'of records: let an artifact without any delete all that exist')
      .option(
        '--accept-older',
        'of records: go back to the newest artifact that exists, when the one that the set mirrors was deleted',
      );
  },

  async run(call) {
    const { terminal, options, stopped: signal } = call;
    const { dryRun = false, rehash, acceptEmpty: acceptsEmpty, acceptOlder: acceptsOlder } = options;
    const progress = startProgress(terminal);
    const scanned = await withExistingApp(call, async (app): Promise<Scanned> => {
      const set = await app.sets.bySlug(call.args[0]!);
      const onProgress = (done: SyncProgress) => progress.show(describeProgress(set, done));
      const options = { rehash, acceptsEmpty, acceptsOlder, attended: true, signal, onProgress };
      const compared = { set, source: app.sources.sourceOf(set), dryRun, ...options };
      if (dryRun) return { set, dryRun, summary: await sync({ ...compared, updater: app.linked.posterOf(set) }) };
      const summary = await app.scanners.borrow(set, {
        async work(updater) {
          const done = await sync({ ...compared, updater });
          if (done !== undefined) app.postings.log.addSync(set.id, done);
          if (done !== undefined) await app.sets.recordHidden(set.slug, done.hidden);
          await app.sets.markReady(set.slug);
          return done;
        },
        onWait: (name) => progress.show(`waiting until ${name ?? 'another process'} has stopped to scan ${set.slug}`),
        signal,
      });
      return { set, summary, dryRun };
    }).finally(() => progress.end());
    if (scanned.summary !== undefined) warn(scanned.set, scanned.summary, terminal);
    await terminal.print(describeScan(scanned), viewScan(scanned));
    return (scanned.summary?.problemCount ?? 0) > 0 ? EXIT.failed : EXIT.done;
  },
};

function describeProgress({ origin }: ResourceSet, { files, hashed, bytes }: SyncProgress): string {
  const { entry } = traitsOf(origin);
  return `comparing: ${plural(files, entry)}, ${formatCount(hashed)} hashed (${formatBytes(bytes)})`;
}

function warn(set: ResourceSet, summary: SyncSummary, terminal: Terminal): void {
  const { problems, problemCount, hidden, duplicates = 0, duplicateKeys = [] } = summary;
  if (duplicates > 0) {
    const some = duplicateKeys.slice(0, PRINTED_DUPLICATES).join(' ');
    const more = duplicates > PRINTED_DUPLICATES ? ' …' : '';
    terminal.say(
      `${plural(duplicates, 'record')} came before another one of the same id, which counts: ${some}${more}`,
    );
  }
  const skippedText = describeSkipped(summary);
  if (skippedText !== undefined) terminal.say(skippedText);
  if (hidden !== undefined) terminal.say(printableLine(describeHidden(set, hidden)));
  for (const { path, problem } of problems.slice(0, PRINTED_PROBLEMS)) {
    terminal.say(printableLine(`${path}: ${problem}`));
  }
  const more = problemCount - PRINTED_PROBLEMS;
  if (more > 0) terminal.say(`… and ${formatCount(more)} more; --json lists up to 1,000`);
}

function describeScan({ set: { slug, origin }, summary, dryRun }: Scanned): string {
  if (summary === undefined) {
    const { stream, source } = traitsOf(origin);
    const mirrored = stream === undefined ? 'mirrors the newest artifact' : `has ${source}`;
    return `${slug} ${mirrored} already. With --rehash, it is compared again.`;
  }
  const { files, artifact, created, updated, deleted, left, problemCount, seconds } = summary;
  const { entry } = traitsOf(origin);
  const of = artifact === undefined ? '' : ` of ${artifact}`;
  const would = dryRun ? ' (nothing was posted)' : '';
  const changes = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
  const rest = [
    left > 0 ? `; ${plural(left, 'file')} being written: scan again` : '',
    problemCount > 0
      ? `; ${plural(problemCount, entry === 'record' ? 'record' : 'path')} could not be read or published`
      : '',
  ];
  return `${slug}: ${plural(files, entry)}${of} in ${seconds.toFixed(1)} s: ${changes}${would}${rest.join('')}.`;
}

/** The output with `--json`. */
function viewScan({ set: { slug, origin }, summary, dryRun }: Scanned): object {
  switch (traitsOf(origin).entry) {
    case 'resource':
    case 'file':
      return { set: slug, dryRun, ...summary };
    case 'record': {
      if (summary === undefined) return { set: slug, dryRun, compared: false };
      const { files: records, hashed: read, left: _left, ...rest } = summary;
      return { set: slug, dryRun, compared: true, records, read, ...rest };
    }
  }
}
