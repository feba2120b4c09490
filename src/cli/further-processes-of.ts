import type { Logger } from 'pino';
import { SenderLimits } from '../access/sender-limits.ts';
import type { App } from '../app.ts';
import type { ServerOptions } from '../http/server/server.ts';
import { FurtherProcesses } from '../processes/further-processes.ts';
import { SharedLimits } from '../processes/shared-limits.ts';

export interface ServingTogether {
  /** Started and stopped by whoever serves. None when the setting says 1. */
  readonly further: FurtherProcesses;
  /** What this process has to serve with. */
  readonly options: Pick<ServerOptions, 'limits' | 'sharing'>;
}

/** The processes that serve beside this one. @param app with the port and the base URL that are served */
export function furtherProcessesOf({ configuration, metrics, scanPaths }: App, logger: Logger): ServingTogether {
  const isAlone = configuration.processes === 1;
  const shared = new SharedLimits((taken) => further.note(taken));
  const onTaken = isAlone ? undefined : shared.note.bind(shared);
  const limits = new SenderLimits(configuration.limits, { onTaken });
  const further = new FurtherProcesses({
    configuration,
    scanPaths: ({ set, paths }) => scanPaths(set, paths),
    figures: () => metrics.own(),
    note(all) {
      for (const taken of all) limits.note(taken);
    },
    onEnded(number, how, breath) {
      const process = number + 1;
      logger.error({ process, how, again_in_ms: breath }, `process ${process} ended (${how}); another takes its place`);
    },
  });
  metrics.join(0, () => further.figures());
  return { further, options: { limits, sharing: isAlone ? undefined : 'first' } };
}
