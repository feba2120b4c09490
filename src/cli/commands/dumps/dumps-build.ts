import type { App } from '../../../app.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { BuiltDumps } from '../../../publish/dumps/dumps.ts';
import type { Packer } from '../../../publish/dumps/packer.ts';
import { dumpTotals } from '../../../publish/dumps/stored-dump.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { plural } from '../../ui/table.ts';
import { requireStore, withApp } from '../../with-app.ts';

const THREADS = 2;

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
    // While the app is loaded, which takes as long.
    const packer = await beginPacking(configuration);
    const build = ({ dumps }: App) =>
      dumps.build(call.args[0]!, {
        threads: THREADS,
        signal,
        onProgress: ({ packed, pages }) => bar.update('Packing pages', packed, pages),
      });
    const built = await withApp(call, build, packer).finally(async () => {
      bar.end();
      await packer.close();
    });
    const seconds = (performance.now() - started) / 1000;
    await terminal.print(describe(call.args[0]!, built, seconds), view(call.args[0]!, built, seconds));
    return EXIT.done;
  },
};

async function beginPacking({ store, artifacts }: Configuration): Promise<Packer> {
  const { Packer } = await import('../../../publish/dumps/packer.ts');
  const packer = new Packer({ store, artifacts });
  packer.begin(THREADS);
  return packer;
}

function describe(set: string, built: BuiltDumps, seconds: number): string {
  const { packages, resources, missing, bytes } = dumpTotals(built);
  const left =
    missing === 0 ? '' : ` ${plural(missing, 'resource')} changed meanwhile: the next build packs what is missing.`;
  const made = `${formatCount(built.made)} of ${plural(packages, 'package')} made`;
  return `${set}: ${made}, ${plural(resources, 'resource')}, ${formatBytes(bytes)}, in ${seconds.toFixed(1)} s.${left}${describeChanges(built)}`;
}

/** Of a set that keeps versions. */
function describeChanges({ changes }: BuiltDumps): string {
  if (changes === undefined) return '';
  const { packages, made } = changes;
  if (packages.length === 0) return '\nNo Change Dump yet: no window of its changes is closed.';
  return `\nChange Dump: ${formatCount(made)} of ${plural(packages.length, 'package')} made.`;
}

/** What `--json` prints. */
function view(set: string, built: BuiltDumps, seconds: number): object {
  const { at, completed, made, changes } = built;
  const ofChanges = changes && { changes: { packages: changes.packages.length, made: changes.made } };
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
