import type { JobDefinition } from '../../src/jobs/job-definition.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { gatedJob } from './gated-job.ts';

// Loaded before the program by `node --import`: it has one more kind of job then.
const { GATED_JOB_FOLDER: folder, GATED_JOB_NAME: name } = process.env;
if (folder !== undefined && name !== undefined) (JOB_DEFINITIONS as JobDefinition[]).push(gatedJob(folder, name));
