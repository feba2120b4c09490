import { parseSnapshotTime } from '../../../artifacts/snapshot-time.ts';
import { ARTIFACT_SETTINGS } from '../../artifact-output.ts';
import type { CliCommand } from '../../cli-command.ts';
import { artifactsLatest, type LatestCliOptions, tellLatest } from './artifacts-latest.ts';

export const artifactsAt: CliCommand<LatestCliOptions> = {
  group: 'artifacts',
  usage: 'at <time>',
  summary:
    'Prints the Avro file of an activity that was the newest at a time: 20170209_104428, 2017-02-09T10:44:28Z, or a day to its end. Exit code 1 when there is none.',
  examples: [['artifacts at 2026-01-31T12:00:00Z --activity mapping', 'the files that were the newest then']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    artifactsLatest.options?.(command);
  },

  async run(call) {
    return tellLatest(call, parseSnapshotTime(call.args[0]!));
  },
};
