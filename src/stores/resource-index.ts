import type { ChangeLog } from './change-log.ts';
import type { LogMaintenance } from './log-maintenance.ts';
import type { ResourceStates } from './resource-states.ts';
import type { SetStatistics } from './set-statistics.ts';

/** All that a store knows of resources, for what puts parts together. Other code takes the port that it needs. */
export interface ResourceIndex extends ChangeLog, ResourceStates, SetStatistics, LogMaintenance {}
