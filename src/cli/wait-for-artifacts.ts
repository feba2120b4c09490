import { BroadcastChannel } from 'node:worker_threads';
import { waitingArtifacts } from '../artifacts/open-artifacts.ts';
import type { LoadedConfiguration } from '../config/load-configuration.ts';
import { beginS3Waiting, endS3Waiting } from '../lib/s3/wait-while-away.ts';
import type { Terminal } from './ui/terminal.ts';

/** Milliseconds after which a wait that goes on is reported again. */
const AGAIN_MS = 60_000;

interface WaitingCommand {
  /** Opens artifact stores that wait while their server is away, in all threads. */
  readonly loaded: LoadedConfiguration;
  end(): void;
}

/** Lets a command wait while its artifact store is away, and say for what, until it is stopped. */
export function waitForArtifacts(
  loaded: LoadedConfiguration,
  terminal: Terminal,
  stopped: AbortSignal,
): WaitingCommand {
  const { configuration } = loaded;
  const waiting = beginS3Waiting();
  const artifacts = waitingArtifacts(configuration.artifacts, waiting);
  if (artifacts === configuration.artifacts) return { loaded, end() {} };
  const channel = new BroadcastChannel(waiting.channel);
  let said = -AGAIN_MS;
  channel.onmessage = (event: { readonly data: unknown }) => {
    if (performance.now() - said < AGAIN_MS) return;
    said = performance.now();
    terminal.say(String(event.data));
  };
  channel.unref();
  stopped.addEventListener('abort', () => endS3Waiting(waiting));
  return {
    loaded: { ...loaded, configuration: { ...configuration, artifacts } },
    end: () => channel.close(),
  };
}
