import { EXIT, Stopped } from './exit-code.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
// npm passes Ctrl-C on to a process that had it from the terminal already; nobody presses it twice as fast.
const ECHO_OF_NPM = 500;

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly stopped: AbortSignal;
  /** Leaves signals to the system again. */
  dispose(): void;
}

/** The first SIGINT or SIGTERM asks for a clean stop, the second ends the process at once. */
export function onStopSignals(tell: (text: string) => void, underNpm: boolean): StopSignals {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      first = performance.now();
      tell('stopping… press Ctrl-C again to stop at once');
      controller.abort(new Stopped('stopped before it was complete'));
    } else if (!underNpm || performance.now() - first > ECHO_OF_NPM) {
      process.exit(EXIT.stopped);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stopped: controller.signal,
    dispose() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
