import { TidemarkError } from '../../core/errors.ts';
import { keyOfPath } from '../../core/key.ts';
import { publishesNone } from '../../core/publishes-none.ts';
import { keptSince } from '../../core/resource-set.ts';
import { mementoUri, setHome } from '../../core/set-uris.ts';
import { clockStamp, formatStamp } from '../../core/stamp.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import type { PrunedVersions, PruneProgress } from '../../publish/versions/version-pruner.ts';
import type { Version } from '../../publish/versions/versions.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { age, wholeNumber } from '../options.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

interface ListOptions {
  readonly limit: number;
}

export const versionsList: CliCommand<ListOptions> = {
  group: 'versions',
  usage: 'list <id> [key]',
  summary: 'Lists the kept versions of a set, or of the resource with a key, the newest first, one a line.',
  examples: [
    ['versions list maps', 'lists the kept versions of a set'],
    ['versions list maps /europe/alps.tif', 'of one resource'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.option('--limit <n>', 'stop after so many', wholeNumber(1, 1_000_000_000), 100);
  },

  async run(call) {
    const { terminal, args, options, stopped } = call;
    await withExistingApp(call, async ({ sets, publishing: { versions } }) => {
      const set = await sets.bySlug(args[0]!);
      if (keptSince(set) === undefined) throw new TidemarkError('not-found', publishesNone(set), { set: set.slug });
      const home = setHome((await sets.source()).baseUrl, set.slug);
      let printed = 0;
      for await (const version of versions.newest(set, args[1])) {
        stopped.throwIfAborted();
        if (printed === options.limit) {
          terminal.say(`These are the newest ${printed}; --limit prints more.`);
          break;
        }
        await terminal.write(terminal.json ? toJsonLine(home, version) : toLine(version));
        printed += 1;
      }
      if (printed === 0) terminal.say(describeNone(args[1]));
    });
  },
};

function toLine({ key, stamp, state }: Version): string {
  const { length = 0, hashes } = state;
  return `${formatStamp(stamp)}  ${String(length).padStart(12)}  ${hashes?.['sha-256'] ?? '-'}  ${key}\n`;
}

function toJsonLine(home: string, { key, stamp, state: { length, hashes } }: Version): string {
  const line = { uri: mementoUri(home, stamp, key), key, datetime: formatStamp(stamp), length, hashes };
  return `${JSON.stringify(line)}\n`;
}

function describeNone(key: string | undefined): string {
  if (key === undefined) return 'No version is kept.';
  const ofPath = keyOfPath(key.replace(/^\//, ''));
  // A key that has escapes was probably copied.
  const isKey = key === ofPath || key.includes('%');
  const hint = isKey ? '' : ` Keys of files begin with a slash, and are percent-encoded: try ${ofPath}`;
  return `No version of ${key} is kept.${hint}`;
}

interface PruneOptions {
  readonly olderThan: number;
  readonly dryRun?: boolean;
}

const STEPS: Readonly<Record<PruneProgress['step'], string>> = {
  resources: 'Reading resources',
  changes: 'Reading changes',
  versions: 'Comparing folders of versions',
};

export const versionsPrune: CliCommand<PruneOptions> = {
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
