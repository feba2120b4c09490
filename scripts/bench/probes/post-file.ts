import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/**
 * The process that posts: it prints `ready`, waits for a line, streams a file, and does as little else as can be. Then
 * it prints `{seconds, cpuSeconds, totals}`.
 */
const { url, file } = JSON.parse(process.argv[2]!) as { url: string; file: string };

console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();

const start = performance.now();
const post = request(url, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' } });
const answered = new Promise<unknown>((resolve, reject) => {
  post.on('response', (response) => json(response).then(resolve, reject));
  post.on('error', reject);
});
await pipeline(createReadStream(file, { highWaterMark: 262_144 }), post);
const totals = await answered;
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, totals }));
