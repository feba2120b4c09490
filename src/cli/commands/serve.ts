import type { Logger } from 'pino';
import { localBaseUrl } from '../../config/load-configuration.ts';
import { settingsTakenBy } from '../../config/settings.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { sourceHome } from '../../core/set-uris.ts';
import { documentUri } from '../../publish/documents.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import type { CliCommand } from '../cli-command.ts';
import { serveSource } from '../serving/serve-source.ts';
import { openLogs } from '../serving/server-logs.ts';
import { plural } from '../ui/table.ts';

interface Options {
  readonly confirmMove?: boolean;
}

export const serve: CliCommand<Options> = {
  usage: 'serve',
  summary: 'Serves all sets, and watches their folders.',
  examples: [
    ['serve', 'serves all sets at the base URL of last time'],
    ['serve --base-url https://sync.example.org', 'serves them behind a proxy'],
  ],
  settings: settingsTakenBy('serve'),
  logsInfo: true,
  runsJobs: true,

  options(command) {
    command.option('--confirm-move', 'yes, change the base URL and begin a new history');
  },

  async run(call) {
    const logs = openLogs(call);
    const { terminal } = call;
    await serveSource(call, logs, {
      confirmed: call.options.confirmMove === true,
      eventsOf: (set) => logEvents(logs.logger, set),
      async running({ app, baseUrl, host, port }) {
        const sets = (await app.sets.list()).map(({ slug }) => slug);
        const sourceDescription = documentUri(baseUrl, { kind: 'sourceDescription' });
        const listens = baseUrl === localBaseUrl(port) ? '' : `, listening on port ${port} of ${host}`;
        const msg = `Serving ${plural(sets.length, 'set')} on ${sourceHome(baseUrl)} (${sourceDescription})${listens}.`;
        const value = { event: 'serving', baseUrl, host, port, sourceDescription, sets, msg };
        if (logs.isText) await terminal.print(`${msg} Press Ctrl-C to stop.`, value);
        // It becomes one of the lines of a log that a program reads.
        else await terminal.write(`${JSON.stringify(value)}\n`);
      },
    });
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
    onRecovered: () => logger.info({ set: slug }, `${slug} is in sync with ${source} again`),
  };
}
