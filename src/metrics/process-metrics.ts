import { collectDefaultMetrics, Registry } from 'prom-client';

/** Milliseconds: how finely delays of the event loop are measured. */
const PRECISION = 20;

let registry: Registry | undefined;

/** Memory, CPU, file descriptors, garbage collection and delays of the event loop: of the process, so there is one of it. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION });
  }
  return registry;
}
