import { uptime } from 'node:os';
import { TidemarkError } from '../core/errors.ts';
import { clockStamp, type Stamp } from '../core/stamp.ts';
import type { Catalog } from './catalog.ts';

/** Milliseconds that a clock may be off without a doubt of it. */
export const MOST_OFF = 60_000;
/** Milliseconds after which a clock that jumped is trusted again, when it has not jumped back meanwhile. */
const TRUSTED_AFTER = 10_000;
/** Microseconds that the last stamp may be ahead of the clock: beyond that the clock is wrong, now or when that stamp was given. */
const MOST_AHEAD = MOST_OFF * 1000;

/** The stamp up to which an operator has accepted that the log is ahead of the clock. */
export interface AcceptedClock {
  readonly through: Stamp;
}

export const ACCEPTED_CLOCK = { kind: 'clock', id: 'clock' } as const;

/** Whether a store whose last stamp this is refuses to write until an operator accepts it. */
export function isAhead(last: Stamp, { through }: AcceptedClock = { through: 0 }, now?: number): boolean {
  return last - Math.max(clockStamp(now), through) > MOST_AHEAD;
}

/** What was accepted for a store; call it only when its last stamp is ahead, which is rare. */
export async function readAcceptedClock(catalog: Catalog): Promise<AcceptedClock | undefined> {
  return (await catalog.get<AcceptedClock>(ACCEPTED_CLOCK.kind, ACCEPTED_CLOCK.id))?.body;
}

export function clockIsBehind(last: Stamp, now?: number): TidemarkError {
  const seconds = Math.round((last - clockStamp(now)) / 1e6);
  return new TidemarkError(
    'unavailable',
    `the last change in the store is ${seconds} seconds ahead of this machine's clock: set the clock right, or, when it is right now and was wrong then, run "tidemark clock --confirm"`,
  );
}

/** When the machine started by its clock, milliseconds since 1970: it changes only when somebody sets the clock, also when the machine sleeps. */
export function startOfMachine(now = Date.now()): number {
  return now - uptime() * 1000;
}

/** Notices when the clock of this machine jumps. No clock says which time is right, so a jump must last before it is trusted. */
export class JumpCheck {
  readonly #trustedAfter: number;
  #trusted: number;
  #doubted: { readonly start: number; readonly since: number } | undefined;

  /**
   * @param trusted what `startOfMachine` returned when the process began
   * @param trustedAfter milliseconds; for tests
   */
  constructor(trusted: number, trustedAfter = TRUSTED_AFTER) {
    this.#trusted = trusted;
    this.#trustedAfter = trustedAfter;
  }

  /** @throws TidemarkError `unavailable` when the clock has just jumped by more than a minute */
  require(now: number): void {
    const start = startOfMachine(now);
    const since = performance.now();
    if (Math.abs(start - this.#trusted) > MOST_OFF) {
      const isSame = this.#doubted !== undefined && Math.abs(start - this.#doubted.start) <= MOST_OFF;
      if (!isSame) this.#doubted = { start, since };
      if (since - this.#doubted!.since < this.#trustedAfter) throw hasJumped(start - this.#trusted);
    }
    // Small steps and drift are followed.
    this.#trusted = start;
    this.#doubted = undefined;
  }
}

function hasJumped(milliseconds: number): TidemarkError {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  return new TidemarkError(
    'unavailable',
    `this machine's clock has just jumped ${seconds} seconds ${milliseconds > 0 ? 'forwards' : 'backwards'}: it is trusted again when it has stayed so for ${TRUSTED_AFTER / 1000} seconds`,
  );
}
