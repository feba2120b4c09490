import assert from 'node:assert/strict';
import type { ElasticsearchSource } from './elasticsearch-source.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from './fault-checks.ts';
import type { Client } from './fault-clients.ts';
import { SET_URL } from './fault-source.ts';
import { SetReader } from './set-reader.ts';

export interface Posted {
  readonly clients: readonly Client[];
  /** That they posted to, and others that serve the same. */
  readonly servers: readonly { readonly url: string }[];
}

/** Everything that clients posted is stored once, as the responses said; all servers publish it. */
export async function requireNothingLost(source: ElasticsearchSource, { clients, servers }: Posted): Promise<void> {
  const app = await source.open();
  const log = await readLog(app);
  requireAlternating(log);
  requireAcknowledged(log, clients);
  for (const { url } of servers) await requireConsistent(app, new SetReader(SET_URL, url));
  for (const client of clients) await client.repost(servers[0]!.url);
  requireEachOnce(await readLog(app), clients);
  assert.ok(clients.every(({ answers }) => answers > 5));
}
