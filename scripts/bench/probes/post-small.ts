import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { eventLine } from '../support/events.ts';

/** Posts requests of ten events each, to sets in turn as they are given, many at a time. Prints `{seconds}`. */
const { url, sets, requests, atOnce } = JSON.parse(process.argv[2]!) as {
  url: string;
  sets: readonly string[];
  requests: number;
  atOnce: number;
};
const EVENTS = 10;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const bodies = Array.from({ length: requests }, (_, at) => {
  const lines = Array.from({ length: EVENTS }, (_, event) => eventLine(at * EVENTS + event));
  return { set: sets[at % sets.length]!, body: `{"changes":[${lines.join(',')}]}` };
});
const start = performance.now();
const next = bodies.values();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const { set, body } of next) await post(set, body);
  }),
);
console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000 }));
agent.destroy();

async function post(set: string, body: string): Promise<void> {
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const asked = request(`${url}/api/sets/${set}/changes`, { method: 'POST', headers, agent }, (response) =>
      text(response).then(resolve, reject),
    );
    asked.on('error', reject);
    asked.end(body);
  });
  if (JSON.parse(answer).applied !== EVENTS) throw new Error(`not everything was applied: ${answer}`);
}
