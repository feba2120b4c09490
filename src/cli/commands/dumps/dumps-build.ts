import type { App } from '../../../app.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { BuiltChangeDump, LostWindow } from '../../../publish/dumps/change-dumps.ts';
import type { BuiltDumps } from '../../../publish/dumps/dumps.ts';
import type { Packer } from '../../../publish/dumps/packer.ts';
import { dumpTotals } from '../../../publish/dumps/stored-dump.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { plural } from '../../ui/table.ts';
import { requireStore, withApp } from '../../with-app.ts';

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
    await terminal.print(describe(call.args[0]!, built, seconds), view(call.args[0]!, built, seconds));
    return EXIT.done;
  },
};

async function beginPacking({ store, artifacts }: Configuration): Promise<Packer> {
  const { Packer } = await import('../../../publish/dumps/packer.ts');
  const packer = new Packer({ store, artifacts }, { isAlone: true });
  packer.begin();
  return packer;
}

function describe(set: string, built: BuiltDumps, seconds: number): string {
  const { packages, resources, missing, bytes } = dumpTotals(built);
  const left =
    missing === 0 ? '' : ` ${plural(missing, 'resource')} changed meanwhile: the next build packs what is missing.`;
  return `${set}: ${madeOf(built.made, packages)}, ${plural(resources, 'resource')}, ${formatBytes(bytes)}, in ${seconds.toFixed(1)} s.${left}${describeChanges(built)}`;
}

/** Describes the Change Dump of a set that keeps versions. */
function describeChanges({ changes }: BuiltDumps): string {
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
