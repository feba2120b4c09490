import { collectDefaultMetrics, Registry } from 'prom-client';

/** Milliseconds: resolution of measured delays of the event loop. */
const PRECISION = 20;

/** Gauges that are named like counters. Other metrics contain the same figures by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

let registry: Registry | undefined;

/** Memory, CPU, file descriptors, garbage collection and delays of the event loop. Once per process. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  return registry;
}
