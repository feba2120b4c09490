import type { App } from '../../app.ts';
import { type VerifyProgress, type VerifyReport, verify } from '../../backup/verify/verify.ts';
import type { Published } from '../../backup/verify/verify-published.ts';
import { pathOfKey } from '../../core/key.ts';
import { type OriginTraits, traitsOf } from '../../core/origin.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { SourceSettings } from '../../sets/source-settings.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { printableLine } from '../ui/printable.ts';
import { plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly root?: boolean;
  readonly published?: boolean;
}

const STEPS: Readonly<Record<VerifyProgress['step'], string>> = {
  log: 'Reading changes',
  state: 'Comparing states',
  source: 'Comparing with the source',
  published: 'Comparing documents',
};

export const verifySet: CliCommand<Options> = {
  usage: 'verify <id>',
  summary: 'Verifies that the state of a set is what its log says; exit code 1 when it is not.',
  examples: [
    ['verify maps', 'compares the state with the log'],
    ['verify maps --root --published', 'also with the folder, and with what is published'],
  ],

  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option(
        '--root',
        "also read every file of the set's folder, or the artifact of its records, and compare it with the state",
      )
      .option(
        '--published',
        'also render every document of the set from the store, and compare it with the one that is served; and all lists with state and log',
      );
  },

  async run(call) {
    const { terminal, args, options, stopped } = call;
    const bar = startCountBar(terminal);
    const { report, entry } = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(args[0]!);
      const { entry } = traitsOf(set.origin);
      const report = await verify({
        set,
        index: app.index,
        source: options.root ? app.sources.sourceOf(set) : undefined,
        published: options.published ? publishedOf(app, await app.sets.source()) : undefined,
        signal: stopped,
        onProgress: ({ step, done, total }) => bar.update(STEPS[step], done, total),
      });
      return { report, entry };
    }).finally(() => bar.end());
    const { compared, ...rest } = report;
    const equal = report.differences.total === 0;
    const view = { set: args[0], equal, ...rest, ...(compared !== undefined && { [`${entry}s`]: compared }) };
    await terminal.print(describe(args[0]!, report, entry), view);
    return report.differences.total === 0 ? EXIT.done : EXIT.failed;
  },
};

/** The published documents of a source, as clients get them, and as rendered from the store. */
export function publishedOf(app: App, { baseUrl }: SourceSettings): Published {
  const { publisher, cacheScan } = app.publishing;
  const { sets } = app;
  return {
    served: publisher,
    fresh: app.publishing.freshPublisher(),
    baseUrl,
    cacheScan,
    shown: async () => (await sets.list()).filter((set) => set.private !== true),
  };
}

function describe(slug: string, { differences, ...report }: VerifyReport, entry: OriginTraits['entry']): string {
  const { changes, resources, tombstones, compared, published, changedMeanwhile } = report;
  const seen = [plural(changes, 'change'), plural(resources, 'resource'), plural(tombstones, 'tombstone')];
  if (compared !== undefined) seen.push(plural(compared, entry));
  if (published !== undefined) seen.push(plural(published.documents, 'document'));
  const lines = differences.first.map(({ kind, document, key, message }) => {
    // The message is that of a scan, which contains the path.
    const path = kind === 'unreadable' && key !== undefined ? pathOfKey(key) : undefined;
    if (path !== undefined) return printableLine(`${kind}: ${path}: ${message}`);
    return `${kind}: ${document === undefined ? '' : `${document}: `}${key === undefined ? '' : `${key} `}${message}`;
  });
  if (differences.total > lines.length) lines.push(`… and ${formatCount(differences.total - lines.length)} more`);
  if (changedMeanwhile > 0) {
    lines.push(`${plural(changedMeanwhile, 'resource')} changed meanwhile, so counts were compared only that exactly.`);
  }
  if (published !== undefined && published.unsettled > 0) {
    lines.push(
      `${plural(published.unsettled, 'document')} changed faster than it could be compared: run it again when less is posted.`,
    );
  }
  lines.push(
    `${slug}: ${differences.total === 0 ? 'no difference' : plural(differences.total, 'difference')} in ${seen.join(', ')}.`,
  );
  return lines.join('\n');
}
