import type { Logger } from 'pino';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { sourceHome } from '../../core/set-uris.ts';
import { createLogger } from '../../observe/logs/logger.ts';
import { documentUri } from '../../publish/documents.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { serveSource } from '../serve-source.ts';
import { SERVER_SETTINGS } from '../server-settings.ts';
import { plural } from '../ui/table.ts';

interface Options {
  readonly confirmMove?: boolean;
}

export const serve: CliCommand<Options> = {
  usage: 'serve',
  summary: 'Serves all sets, and watches their folders.',
  settings: [...SERVER_SETTINGS, 'sources'],
  logsInfo: true,

  options(command) {
    command.option('--confirm-move', 'yes, change the base URL and begin a new history');
  },

  async run(call) {
    const logger = createLogger(call.loaded.configuration.logLevel);
    await serveSource(call, {
      confirmed: call.options.confirmMove === true,
      eventsOf: (set) => logEvents(logger, set),
      async running({ app, baseUrl }) {
        const sets = (await app.sets.list()).map(({ slug }) => slug);
        const sourceDescription = documentUri(baseUrl, { kind: 'sourceDescription' });
        const message = `Serving ${plural(sets.length, 'set')} on ${sourceHome(baseUrl)} (${sourceDescription}). Press Ctrl-C to stop.`;
        await call.terminal.print(message, { event: 'serving', baseUrl, sourceDescription, sets });
      },
    });
    return EXIT.done;
  },
};

function logEvents(logger: Logger, set: ResourceSet): SyncEvents {
  const { slug } = set;
  const { source } = traitsOf(set.origin);
  return {
    onScanned({ problems, seconds, ...counts }, extent) {
      const more = counts.problemCount - problems.length;
      logger.info({ set: slug, extent, duration_s: seconds, ...counts }, `scanned ${source}`);
      for (const { path, problem } of problems) logger.warn({ set: slug, path }, `${path}: ${problem}`);
      if (more > 0) logger.warn({ set: slug, more }, `${more} more paths have problems`);
    },
    onProblem: ({ path, problem }) => logger.warn({ set: slug, path }, `${path} cannot be watched: ${problem}`),
    onTrouble: (error) => logger.error({ set: slug, code: error.code }, error.message),
    onRecovered: () => logger.info({ set: slug }, `${source} is there again, and was scanned`),
  };
}
