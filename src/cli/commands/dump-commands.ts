import type { ChangeDumpView, DumpView } from '../../api/dump-view.ts';
import { changeDumpView, dumpView } from '../../api/dump-view.ts';
import type { App } from '../../app.ts';
import type { Configuration } from '../../config/configuration.ts';
import { hasChangeDump } from '../../core/resource-set.ts';
import { formatStamp } from '../../core/stamp.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { BuiltChangeDump, LostWindow } from '../../publish/dumps/change-dumps.ts';
import type { BuiltDumps } from '../../publish/dumps/dumps.ts';
import type { Packer } from '../../publish/dumps/packer.ts';
import { dumpTotals } from '../../publish/dumps/stored-dump.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { formatTable, plural } from '../ui/table.ts';
import { requireStore, withApp, withExistingApp } from '../with-app.ts';

export const dumpsBuild: CliCommand = {
  group: 'dumps',
  usage: 'build <id>',
  summary: 'Packs the resources of a set into ZIP files, but what was packed and has not changed, and publishes them.',
  examples: [['dumps build maps', 'packs what has changed since the last dump']],
  settings: ['artifacts', 's3Timeout'],

  async run(call) {
    const { terminal, stopped: signal } = call;
    const { configuration } = call.loaded;
    await requireStore(configuration);
    const bar = startCountBar(terminal);
    const started = performance.now();
    // Started while the app is loaded, which takes as long.
    const packer = await beginPacking(configuration);
    const build = ({ publishing: { dumps } }: App) =>
      dumps.build(call.args[0]!, {
        signal,
        onProgress: ({ packed, pages }) => bar.update('Packing pages', packed, pages),
      });
    let built: Awaited<ReturnType<typeof build>>;
    try {
      built = await withApp(call, build, packer);
    } finally {
      bar.end();
      await packer.close();
    }
    const seconds = (performance.now() - started) / 1000;
    await terminal.print(describeBuilt(call.args[0]!, built, seconds), view(call.args[0]!, built, seconds));
  },
};

async function beginPacking({ store, artifacts }: Configuration): Promise<Packer> {
  const { Packer } = await import('../../publish/dumps/packer.ts');
  const packer = new Packer({ store, artifacts }, { isAlone: true });
  packer.begin();
  return packer;
}

function describeBuilt(set: string, built: BuiltDumps, seconds: number): string {
  const { packages, resources, missing, bytes } = dumpTotals(built);
  const left =
    missing === 0 ? '' : ` ${plural(missing, 'resource')} changed meanwhile: the next build packs what is missing.`;
  return `${set}: ${madeOf(built.made, packages)}, ${plural(resources, 'resource')}, ${formatBytes(bytes)}, in ${seconds.toFixed(1)} s.${left}${describeBuiltChanges(built)}`;
}

/** Describes the Change Dump of a set that keeps versions. */
function describeBuiltChanges({ changes }: BuiltDumps): string {
  if (changes === undefined) return '';
  const { packages, made, lost } = changes;
  const about = lost === undefined ? '' : `\n${describeLost(lost)}`;
  if (packages.length === 0) return `${about}\nNo Change Dump yet: ${whyNone(changes)}.`;
  return `${about}\nChange Dump: ${madeOf(made, packages.length)}.`;
}

function madeOf(made: number, packages: number): string {
  const kept = packages - made;
  return `${plural(made, 'package')} made${kept === 0 ? '' : `, ${formatCount(kept)} kept`}`;
}

function describeLost({ window, until, dropped }: LostWindow): string {
  const without = dropped === 0 ? '' : `, without the ${plural(dropped, 'package')} that it had`;
  return `Bytes of versions are missing in the window ${window}: the Change Dump begins after it, at ${formatStamp(until)}${without}.`;
}

function whyNone({ closedWindows, since, lost }: BuiltChangeDump): string {
  if (lost !== undefined) return 'no window after that is closed';
  if (closedWindows === 0) return 'no window of its changes is closed';
  return `the versions of the windows that are closed are not kept, only those after ${formatStamp(since)}`;
}

/** The output with `--json`. */
function view(set: string, built: BuiltDumps, seconds: number): object {
  const { at, completed, made, changes } = built;
  const ofChanges = changes && { changes: changesView(changes) };
  return {
    set,
    at: formatStamp(at),
    completed: formatStamp(completed),
    made,
    ...dumpTotals(built),
    ...ofChanges,
    seconds,
  };
}

function changesView({ packages, made, closedWindows, since, lost }: BuiltChangeDump): object {
  return {
    packages: packages.length,
    made,
    closedWindows,
    since: formatStamp(since),
    ...(lost && { lost: { ...lost, until: formatStamp(lost.until) } }),
  };
}

export const dumpsList: CliCommand = {
  group: 'dumps',
  usage: 'list <id>',
  summary: 'Lists the packages of the Resource Dump of a set, and those of its Change Dump.',
  examples: [['dumps list maps', 'lists its packages']],

  async run(call) {
    const { dump, changeDump } = await withExistingApp(call, async ({ publishing, sets }) => {
      const { known } = publishing.dumps;
      const set = await sets.bySlug(call.args[0]!);
      const shown = { set: set.slug, baseUrl: (await sets.source()).baseUrl };
      return {
        dump: dumpView(await known.dumpOf(set), shown),
        changeDump: hasChangeDump(set) ? changeDumpView(await known.changePackagesOf(set), shown) : undefined,
      };
    });
    const text =
      changeDump === undefined
        ? describePackages(dump)
        : `${describePackages(dump)}\n${describeChangePackages(changeDump)}`;
    await call.terminal.print(text, { ...dump, ...(changeDump && { changeDump }) });
  },
};

function describePackages({ packages }: DumpView): string {
  const rows = packages.map(({ name, resources, missing, length, completed }) => {
    return [name, resources, missing, length, completed];
  });
  return formatTable(['PACKAGE', 'RESOURCES', 'MISSING', 'BYTES', 'COMPLETED'], rows);
}

function describeChangePackages({ packages, totals, from, until }: ChangeDumpView): string {
  const rows = packages.map((one) => [one.name, one.changes, one.length, one.from, one.until]);
  const about = `Change Dump: ${plural(totals.windows, 'window')}, ${plural(totals.changes, 'change')}, from ${from} until ${until}`;
  return `\n${about}\n${formatTable(['PACKAGE', 'CHANGES', 'BYTES', 'FROM', 'UNTIL'], rows)}`;
}

export const dumpsRemove: CliCommand = {
  group: 'dumps',
  usage: 'remove <id>',
  summary: 'Removes the Resource Dump of a set, with all its packages.',
  examples: [['dumps remove maps', 'removes its packages']],
  settings: ['artifacts', 's3Timeout'],

  async run(call) {
    const set = call.args[0]!;
    const removed = await withExistingApp(call, ({ publishing: { dumps } }) => dumps.remove(set));
    await call.terminal.print(`Removed the dump of ${set}: ${plural(removed, 'package')}.`, { set, removed });
  },
};
