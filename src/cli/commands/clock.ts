import { type AcceptedClock, isAhead } from '../../core/accepted-clock.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { clockStamp, formatStamp, type Stamp } from '../../core/stamp.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { ACCEPTED_CLOCK, readAcceptedClock } from '../../stores/store-clock.ts';
import type { CliCommand } from '../cli-command.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly confirm?: boolean;
}

/**
 * `ahead`: nothing can be posted. `accepted`: the last change is ahead, and changes are recorded just above its stamp.
 */
type ClockState = 'right' | 'ahead' | 'accepted';

export const clock: CliCommand<Options> = {
  usage: 'clock',
  summary:
    'Compares the clock with the last change in the store. When the clock was wrong then, and is right now, lets the log go on from that change.',
  examples: [['clock', 'shows how far the last change is from now']],

  options(command) {
    command.option('--confirm', "yes, this machine's clock is right: go on above the last change, though it is ahead");
  },

  async run(call) {
    const { state, last, now } = await withExistingApp(call, async ({ gauge, catalog }) => {
      const { logged } = await gauge.progress();
      if (call.options.confirm === true && isAhead(logged)) await accept(catalog, logged);
      return { state: await stateOf(catalog, logged), last: logged, now: clockStamp() };
    });
    await call.terminal.print(describe(state, last, now), {
      state,
      clock: formatStamp(now),
      lastChange: last === 0 ? null : formatStamp(last),
      secondsAhead: Math.max(0, Math.round((last - now) / 1e6)),
    });
  },
};

async function stateOf(catalog: Catalog, last: Stamp): Promise<ClockState> {
  if (!isAhead(last)) return 'right';
  return isAhead(last, await readAcceptedClock(catalog)) ? 'ahead' : 'accepted';
}

async function accept(catalog: Catalog, through: Stamp): Promise<void> {
  const { kind, id } = ACCEPTED_CLOCK;
  const before = await catalog.get<AcceptedClock>(kind, id);
  try {
    await catalog.put<AcceptedClock>(kind, id, { through }, before?.version);
  } catch (error) {
    if (!isTidemarkError(error, 'conflict')) throw error;
    throw new TidemarkError('conflict', 'another process has just accepted the clock: run the command again');
  }
}

function describe(state: ClockState, last: Stamp, now: Stamp): string {
  const ahead = `The last change in the store is of ${formatStamp(last)}, ${Math.round((last - now) / 1e6)} seconds ahead of this machine's clock (${formatStamp(now)}).`;
  switch (state) {
    case 'right':
      return `This machine's clock (${formatStamp(now)}) is not behind the last change in the store.`;
    case 'ahead':
      return `${ahead}\nNothing can be posted until then. If the clock is wrong, set it right. If it is right, and was wrong when that change was recorded, say --confirm: until the clock has passed that time, each change gets a time just above the one before.`;
    case 'accepted':
      return `${ahead}\nThat is accepted: until the clock has passed that time, each change gets a time just above the one before.`;
  }
}
