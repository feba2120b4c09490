import { EXIT, Stopped } from './exit-code.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
// Milliseconds. npm repeats a Ctrl-C that the terminal has already sent to the process; users do not press it twice
// within this time.
const ECHO_OF_NPM = 500;

/** The source of the signals of a process, such as `process`. */
export interface SignalSource {
  on(signal: (typeof SIGNALS)[number], listener: () => void): unknown;
  off(signal: (typeof SIGNALS)[number], listener: () => void): unknown;
}

interface StopSignals {
  /** Aborted by the first signal. */
  readonly stopped: AbortSignal;
  /** Restores the default handling of signals. */
  dispose(): void;
}

/** The first SIGINT or SIGTERM asks for a clean stop, the second ends the process at once. */
export function onStopSignals(source: SignalSource, say: (text: string) => void, underNpm: boolean): StopSignals {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      first = performance.now();
      say('stopping… press Ctrl-C again to stop at once');
      controller.abort(new Stopped('stopped before it was complete'));
    } else if (!underNpm || performance.now() - first > ECHO_OF_NPM) {
      process.exit(EXIT.stopped);
    }
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
  return {
    stopped: controller.signal,
    dispose() {
      for (const signal of SIGNALS) source.off(signal, onSignal);
    },
  };
}
