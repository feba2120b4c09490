import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { ArchiveLoop } from '../backup/archive-loop.ts';

/** Starts archiving the log while a server runs; undefined when no setting asks for it. */
export function keepArchive({ archive, configuration, metrics }: App, logger: Logger): ArchiveLoop | undefined {
  const { archiveInterval: interval } = configuration;
  if (interval === undefined) return undefined;
  return new ArchiveLoop({
    interval,
    archive,
    events: {
      onArchived({ chain, status, mark }) {
        metrics.archive.archived(mark?.total ?? 0);
        if (status !== 'written') return;
        const { number: segment, changes, total } = mark!;
        logger.info({ archive: chain, segment, changes: changes?.records ?? 0, total }, 'archived the log');
      },
      onTrouble({ code, message }) {
        metrics.archive.failed();
        logger.error({ code }, `the log was not archived: ${message}`);
      },
    },
  });
}
