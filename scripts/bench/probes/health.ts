import { setTimeout as wait } from 'node:timers/promises';
import { HttpClient } from '../support/http-client.ts';

/** Asks for /healthz every few milliseconds until it is stopped, and prints the longest answer in milliseconds. */
const client = new HttpClient(process.argv[2]!);
let stopped = false;
process.on('SIGTERM', () => {
  stopped = true;
});
await client.get('/healthz');
process.stdout.write('ready\n');
let longest = 0;
while (!stopped) {
  const start = performance.now();
  await client.get('/healthz');
  longest = Math.max(longest, performance.now() - start);
  await wait(3);
}
client.close();
console.log(longest);
