import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { type Archived, archiveLog } from '../../backup/log-archive.ts';
import { formatStamp } from '../../core/stamp.ts';
import type { DroppedCommits } from '../../stores/log-maintenance.ts';
import type { CliCommand } from '../cli-command.ts';
import { type CountBar, startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly anew?: boolean;
  readonly drop?: boolean;
}

export const archive: CliCommand<Options> = {
  usage: 'archive',
  summary:
    'Writes what the log has gained since the last time, and the sets, into the artifact store. Servers go on meanwhile.',
  examples: [['archive', 'writes the new part of the log once']],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--anew', 'begin another archive, with all of the log, and leave the old one as it is')
      .option(
        '--drop',
        'then drop from the log of Elasticsearch the archived commits, which the changes index has, too; those of the last day stay',
      );
  },

  async run(call) {
    const { terminal, options, loaded, stopped } = call;
    const bar = startCountBar(terminal);
    const artifacts = openArtifacts(loaded.configuration.artifacts);
    try {
      const { archived, dropped } = await withExistingApp(call, async ({ index, catalog, gauge }) => {
        const archived = await archiveLog({
          stores: { index, catalog, gauge },
          artifacts,
          anew: options.anew,
          signal: stopped,
          onProgress: (done, total) => bar.update('Archiving changes', done, total),
        });
        const through = archived.mark?.through ?? 0;
        const dropped = options.drop ? await index.dropCommits(through, dropping(bar, stopped)) : undefined;
        return { archived, dropped };
      });
      bar.end();
      const lines = [describe(archived, artifacts.name)];
      if (dropped !== undefined) lines.push(describeDropped(dropped, loaded.configuration.store.kind));
      await terminal.print(lines.join('\n'), {
        ...viewOf(archived),
        artifacts: artifacts.name,
        dropped: dropped?.dropped,
        segmentsRemoved: dropped?.removedSegments,
      });
    } finally {
      bar.end();
      await artifacts.close();
    }
  },
};

function dropping(bar: CountBar, signal: AbortSignal) {
  return { signal, onProgress: (done: number, total: number) => bar.update('Dropping commits', done, total) };
}

function describe({ chain, status, mark }: Archived, store: string): string {
  const where = `the archive ${chain} in ${store}`;
  if (mark === undefined) return `There is nothing to archive yet.`;
  const holds = `it holds ${plural(mark.total, 'change')}${mark.last === undefined ? '' : `, up to ${formatStamp(mark.last.stamp)}`}`;
  switch (status) {
    case 'written':
      return `Wrote ${plural(mark.changes?.records ?? 0, 'change')} as segment ${mark.number} of ${where}: ${holds}.`;
    case 'nothing-new':
      return `There is nothing new for ${where}: ${holds}.`;
    case 'outrun':
      return `Another process has just written segment ${mark.number} of ${where}: ${holds}.`;
  }
}

function describeDropped({ dropped, removedSegments }: DroppedCommits, kind: 'sqlite' | 'elasticsearch'): string {
  if (kind === 'sqlite') return 'Nothing was dropped: on SQLite the log is the history that Change Lists are made of.';
  const removed = removedSegments === 0 ? '' : ` Removed ${plural(removedSegments, 'segment')} of the log whole.`;
  return `Dropped ${plural(dropped, 'commit')} from the log; the changes index has ${dropped === 1 ? 'its' : 'their'} changes.${removed}`;
}

function viewOf({ chain, status, mark }: Archived): object {
  return {
    archive: chain,
    status,
    segment: mark?.number,
    through: mark && formatStamp(mark.through),
    changes: status === 'written' ? (mark?.changes?.records ?? 0) : 0,
    total: mark?.total ?? 0,
    file: status === 'written' ? mark?.changes?.file : undefined,
  };
}
