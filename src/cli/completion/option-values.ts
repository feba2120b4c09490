import { ACTIVITIES } from '../../artifacts/keys/activity.ts';
import { LOG_FORMATS, LOG_LEVELS, ROBOTS } from '../../config/setting-values.ts';
import { HASH_ALGORITHMS } from '../../core/hash.ts';
import { DUMP_COMPRESSIONS } from '../../core/resource-set.ts';
import { JOB_STATES } from '../../stores/job.ts';

/** Options with few possible values, by their long names. */
export const OPTION_VALUES: Readonly<Record<string, readonly string[]>> = {
  '--access-log': ['true', 'false'],
  '--activity': ACTIVITIES,
  '--dump-compression': DUMP_COMPRESSIONS,
  '--hub': ['inside', 'none'],
  '--log-format': LOG_FORMATS,
  '--log-level': LOG_LEVELS,
  '--malformed': ['stop', 'skip'],
  '--publish-hash': HASH_ALGORITHMS,
  '--redirect': ['presigned'],
  '--results': ['all', 'failed'],
  '--robots': ROBOTS,
  '--state': JOB_STATES,
};
