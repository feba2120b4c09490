import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server with NODE_OPTIONS=--import: on SIGUSR2 it writes the longest time, in milliseconds, that its
// HTTP thread was blocked since the last signal, and begins anew.
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.BENCH_EVENT_LOOP!, String(delay.max / 1e6));
    delay.reset();
  });
}
