import type { Answered, Fault } from './fault-proxy.ts';

/** What an Elasticsearch says that is too busy (429), or has no master or shard (503). */
export function refusal(status: number): Answered {
  const error = {
    type: status === 429 ? 'circuit_breaking_exception' : 'unavailable_shards_exception',
    reason: 'for a test',
  };
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' },
    body: Buffer.from(JSON.stringify({ error, status })),
  };
}

export function refuse(status: number): Fault {
  return async () => refusal(status);
}
