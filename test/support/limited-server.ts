// A server in a process of its own, whose memory and limits are its own. Prints its address as JSON.
import { openApp } from '../../src/app.ts';
import type { ConnectionLimits } from '../../src/http/server/connections.ts';
import { startServer } from '../../src/http/server/server.ts';
import { testConfiguration } from './start-app.ts';

export interface LimitedServerOptions {
  readonly folder: string;
  /** That of the source, which is there already. */
  readonly baseUrl: string;
  readonly idleTimeoutMs: number;
  readonly connections: Partial<ConnectionLimits>;
}

const { folder, baseUrl, idleTimeoutMs, connections } = JSON.parse(process.argv[2]!) as LimitedServerOptions;
const configuration = testConfiguration(folder, { baseUrl, idleTimeoutMs });
const app = await openApp(configuration);
const server = await startServer(app, { host: '127.0.0.1', port: 0, connections });
process.once('SIGTERM', async () => {
  await server.close();
  await app.close();
});
console.log(JSON.stringify({ url: server.url }));
