import type { JobDefinition } from './job-definition.ts';
import { archiveLog } from './kinds/archive-log.ts';
import { buildDump } from './kinds/build-dump.ts';
import { removeEndedJobs } from './kinds/remove-ended-jobs.ts';
import { removeOldPackages } from './kinds/remove-old-packages.ts';

/** Every kind of job. */
export const JOB_DEFINITIONS: readonly JobDefinition[] = [archiveLog, buildDump, removeEndedJobs, removeOldPackages];
