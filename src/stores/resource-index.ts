import type { ChangeLog } from './change-log.ts';
import type { LogMaintenance } from './log-maintenance.ts';
import type { ResourceStates } from './resource-states.ts';
import type { SetStatistics } from './set-statistics.ts';

/** All ports of resources, for code that connects parts. Other code takes only the ports that it needs. */
export interface ResourceIndex extends ChangeLog, ResourceStates, SetStatistics, LogMaintenance {}

interface Ports {
  readonly log: ChangeLog & LogMaintenance;
  readonly states: ResourceStates;
  readonly statistics: SetStatistics;
}

/** Joins the ports of an adapter, which has a class for each. */
export function joinPorts({ log, states, statistics }: Ports): ResourceIndex {
  return {
    commit: log.commit.bind(log),
    changes: log.changes.bind(log),
    newest: log.newest.bind(log),
    tail: log.tail.bind(log),
    log: log.log.bind(log),
    positions: log.positions.bind(log),
    raisedOrders: log.raisedOrders.bind(log),
    watermark: log.watermark.bind(log),
    committed: log.committed.bind(log),
    mark: log.mark.bind(log),
    replay: log.replay.bind(log),
    dropCommits: log.dropCommits.bind(log),
    findDamage: log.findDamage.bind(log),
    read: states.read.bind(states),
    states: states.states.bind(states),
    lookup: states.lookup.bind(states),
    lastChanges: states.lastChanges.bind(states),
    find: states.find.bind(states),
    survey: states.survey.bind(states),
    summary: statistics.summary.bind(statistics),
    summaries: statistics.summaries.bind(statistics),
    activity: statistics.activity.bind(statistics),
    latest: statistics.latest.bind(statistics),
    history: statistics.history.bind(statistics),
    windows: statistics.windows.bind(statistics),
  };
}
