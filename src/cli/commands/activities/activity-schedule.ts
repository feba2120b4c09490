import { scheduleViews } from '../../../api/activity-run-view.ts';
import { requireProvider } from '../../../artifacts/keys/activity.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { requireRunnable } from '../../../records/activities/activities.ts';
import { type ActivitySchedule, FOLLOWED, type Followed } from '../../../records/activities/schedules.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { oneOf } from '../../options.ts';
import { withExistingApp } from '../../with-app.ts';
import { givenOptions } from './activity-paths.ts';

type Options = ActivitySchedule['options'] & {
  readonly cron?: string;
  readonly after?: Followed;
  readonly remove?: true;
};

export const activitySchedule: CliCommand<Options> = {
  group: 'activity',
  usage: 'schedule <activity> <provider>',
  summary: 'Sets when an activity runs by itself: at times, or whenever another activity has a newer artifact.',
  examples: [
    ['activity schedule mapping cdl --after harvest --transform mapping.json', 'maps each new harvest'],
    ['activity schedule harvest lane --from stream:lane --after stream', 'harvests what was uploaded'],
    ['activity schedule mapping cdl --remove', 'ends that'],
  ],

  options(command) {
    command
      .option('--cron <pattern>', 'minute, hour, day of the month, month and day of the week, such as "15 2 * * *"')
      .option(
        '--after <activity>',
        'runs when this has a newer artifact; or the stream of --from, a change',
        oneOf(...FOLLOWED),
      )
      .option('--from <path>', 'harvest: a file of NDJSON, a folder or s3:// of documents, or stream:ORG/STREAM')
      .option('--source <url>', 'harvest: where the records came from, for the provenance (default: the path)')
      .option(
        '--transform <name>',
        'a name, a mapping (.json), a sheet (.xsl) or a module (.js): see docs/artifacts.md',
      )
      .option('--write-plan', 'write a plan of each run and those before it')
      .option('--accept-drop', 'publish also when there are far fewer records than in the run before')
      .option('--remove', 'removes the schedule');
  },

  async run({ args, options, workingDirectory, loaded, terminal }) {
    const activity = requireRunnable(args[0]!);
    const provider = args[1]!;
    requireProvider(provider);
    const { cron, after, remove } = options;
    const given = givenOptions(options, workingDirectory);
    if (remove && [cron, after, ...Object.values(given)].some((value) => value !== undefined)) {
      throw new TidemarkError('invalid', '--remove removes the schedule: give no other option');
    }
    const schedule = remove ? undefined : { activity, cron, after, options: given };
    const changed = await withExistingApp({ loaded, terminal }, ({ records }) =>
      records.organizations.schedule(provider, activity, schedule),
    );
    const when =
      cron === undefined ? `after each ${after === 'stream' ? 'change of the' : 'new'} ${after}` : `at ${cron}`;
    const text = remove ? 'does not run by itself any more' : `runs ${when}, while a server runs jobs`;
    const schedules = scheduleViews(changed);
    await terminal.print(`The ${activity} of ${provider} ${text}.`, { organization: provider, schedules });
    return EXIT.done;
  },
};
