import { uptime } from 'node:os';
import { type AcceptedClock, LARGEST_CLOCK_ERROR_MS } from '../core/accepted-clock.ts';
import { TidemarkError } from '../core/errors.ts';
import type { Catalog } from './catalog.ts';

/** Milliseconds until a clock that jumped is trusted again, if it does not jump back. */
const TRUSTED_AFTER_MS = 10_000;
export const ACCEPTED_CLOCK = { kind: 'clock', id: 'clock' } as const;

/** The accepted clock of a store. Call it only when the last stamp is ahead of the clock, which is rare. */
export async function readAcceptedClock(catalog: Catalog): Promise<AcceptedClock | undefined> {
  return (await catalog.get<AcceptedClock>(ACCEPTED_CLOCK.kind, ACCEPTED_CLOCK.id))?.body;
}

/**
 * When the machine started, by its clock, in milliseconds since 1970. It changes only when the clock is set, not while
 * the machine sleeps.
 */
export function startOfMachine(now = Date.now()): number {
  return now - uptime() * 1000;
}

/**
 * Detects jumps of this machine's clock. It cannot know which time is right, so a jump must last before the new time is
 * trusted.
 */
export class JumpCheck {
  readonly #trustedAfterMs: number;
  #trusted: number;
  #doubted: { readonly start: number; readonly since: number } | undefined;

  /**
   * @param trusted result of `startOfMachine` when the process began
   * @param trustedAfterMs milliseconds; for tests
   */
  constructor(trusted: number, trustedAfterMs = TRUSTED_AFTER_MS) {
    this.#trusted = trusted;
    this.#trustedAfterMs = trustedAfterMs;
  }

  /** @throws TidemarkError `unavailable` when the clock has just jumped by more than a minute */
  require(now: number): void {
    const start = startOfMachine(now);
    const since = performance.now();
    if (Math.abs(start - this.#trusted) > LARGEST_CLOCK_ERROR_MS) {
      const isSame = this.#doubted !== undefined && Math.abs(start - this.#doubted.start) <= LARGEST_CLOCK_ERROR_MS;
      if (!isSame) this.#doubted = { start, since };
      if (since - this.#doubted!.since < this.#trustedAfterMs) throw hasJumped(start - this.#trusted);
    }
    // Accepts small steps and drift.
    this.#trusted = start;
    this.#doubted = undefined;
  }
}

function hasJumped(milliseconds: number): TidemarkError {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  return new TidemarkError(
    'unavailable',
    `this machine's clock has just jumped ${seconds} seconds ${milliseconds > 0 ? 'forwards' : 'backwards'}: it is trusted again when it has stayed so for ${TRUSTED_AFTER_MS / 1000} seconds`,
  );
}
