import { clockStamp, formatStamp } from '../../../core/stamp.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { PrunedVersions, PruneProgress } from '../../../publish/versions/version-pruner.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { age } from '../../options.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly olderThan: number;
  readonly dryRun?: boolean;
}

const STEPS: Readonly<Record<PruneProgress['step'], string>> = {
  resources: 'Reading resources',
  changes: 'Reading changes',
  versions: 'Comparing folders of versions',
};

export const versionsPrune: CliCommand<Options> = {
  group: 'versions',
  usage: 'prune <id>',
  summary: 'Removes the versions of a set that were replaced or deleted long ago; present versions stay.',
  examples: [
    ['versions prune maps --older-than 90d --dry-run', 'says what would be removed'],
    ['versions prune maps --older-than 90d', 'keeps what the set was in the last 90 days'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .requiredOption('--older-than <age>', 'how long ago the versions ended that are removed, such as 90d or 12h', age)
      .option('--dry-run', 'only say what would be removed');
  },

  async run(call) {
    const { terminal, options, stopped: signal } = call;
    const { olderThan, dryRun = false } = options;
    const set = call.args[0]!;
    const bar = startCountBar(terminal);
    const pruned = await withExistingApp(call, ({ publishing: { versionPruner } }) =>
      versionPruner.prune(set, clockStamp(Date.now() - olderThan), {
        dryRun,
        signal,
        onProgress: ({ step, done, total }) => bar.update(STEPS[step], done, total),
      }),
    ).finally(() => bar.end());
    await terminal.print(describe(set, pruned, dryRun), view(set, pruned, dryRun));
    return pruned.damaged.length === 0 ? EXIT.done : EXIT.failed;
  },
};

/**
 * Versions that clients no longer find, and removed files, are counted separately: bytes may also belong to a version
 * that stays, and bytes stored within the last day stay until a later run.
 */
function describe(
  set: string,
  { before, versions, bytes, neededSince, hasRecent, damaged }: PrunedVersions,
  dryRun: boolean,
): string {
  const [are, removed] = dryRun ? ['would be', 'would remove'] : ['are', 'removed'];
  const ended =
    before === 0
      ? 'No version has ended by then'
      : `Versions that had ended by ${formatStamp(before)} ${are} published no longer`;
  const needed =
    neededSince === undefined
      ? ''
      : `\nThe next build of its Change Dump needs all versions after ${formatStamp(neededSince)}: those stay.`;
  const recent = before > 0 && hasRecent ? '\nBytes that were stored within the last day are not removed yet.' : '';
  const left = damaged.map((problem) => `\nNothing of this pack is removed: ${problem}`).join('');
  return `${set}: ${removed} the bytes of ${plural(versions, 'version')}, ${formatBytes(bytes)}.\n${ended}.${needed}${recent}${left}`;
}

/** The output with `--json`. */
function view(
  set: string,
  { before, neededSince, hasRecent, damaged, ...removed }: PrunedVersions,
  dryRun: boolean,
): object {
  const recent = before > 0 && hasRecent ? { hasRecent } : {};
  const since = neededSince === undefined ? {} : { neededSince: formatStamp(neededSince) };
  const left = damaged.length === 0 ? {} : { damaged };
  return { set, dryRun, ...(before > 0 && { before: formatStamp(before) }), ...since, ...removed, ...recent, ...left };
}
