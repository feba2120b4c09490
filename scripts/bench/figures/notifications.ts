import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { percentile } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const SUBSCRIBERS = 50;
const CHANGES_PER_SECOND = 100;
const SECONDS = 10;
const SLUG = 'papers';

export const notifications: Bench = {
  name: 'notifications',
  about: '100 changes a second, delivered to 50 subscribers by WebSub',

  run: (options) => measure(options, () => Tidemark.create(options.folder.next('data'))),
};

export const elasticsearchNotifications: Bench = {
  name: 'es-notifications',
  about: '100 changes a second on Elasticsearch, delivered to 50 subscribers by WebSub',

  run: (options) =>
    onElasticsearch(options, async (server) => {
      const prefixes: string[] = [];
      const figures = await measure(options, () => {
        prefixes.push(server.nextPrefix());
        return server.tidemark(prefixes.at(-1)!);
      });
      for (const prefix of prefixes) await server.remove(prefix);
      return figures;
    }),
};

async function measure(
  { runs, scale, log }: BenchOptions,
  create: () => Promise<Tidemark>,
): Promise<readonly Figure[]> {
  const p99: number[] = [];
  const longest: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const tidemark = await create();
    await tidemark.addSet(SLUG);
    const server = await tidemark.start(['serve'], {
      TIDEMARK_HUB: 'inside',
      TIDEMARK_SUBSCRIBER_NETWORKS: '127.0.0.1',
    });
    try {
      const times = await deliver(server, tidemark.baseUrl, Math.round(CHANGES_PER_SECOND * SECONDS * scale));
      p99.push(percentile(times, 99));
      longest.push(Math.max(...times));
      log(`${run}: p99 ${p99.at(-1)!.toFixed(0)} ms, at most ${longest.at(-1)!.toFixed(0)} ms`);
    } finally {
      await server.stop();
    }
  }
  return [
    { name: 'a change until each of 50 subscribers has it, p99', unit: 'ms', ours: p99, limit: { most: 2_000 } },
    { name: '… the last one', unit: 'ms', ours: longest },
  ];
}

/** Milliseconds from the acknowledgement of each change until each subscriber had it. */
async function deliver({ client, url }: Server, baseUrl: string, count: number): Promise<readonly number[]> {
  const acknowledged = new Map<number, number>();
  const delivered: { readonly number: number; readonly at: number }[] = [];
  const subscribers = createServer(async (request, response) => {
    const challenge = new URL(request.url!, url).searchParams.get('hub.challenge');
    if (challenge !== null) return void response.end(challenge);
    const body = (await buffer(request)).toString();
    const at = performance.now();
    for (const [, number] of body.matchAll(/\/n-(\d+)</g)) delivered.push({ number: Number(number), at });
    response.writeHead(204).end();
  });
  subscribers.listen(0, '127.0.0.1');
  await once(subscribers, 'listening');
  try {
    const { port } = subscribers.address() as AddressInfo;
    for (let at = 0; at < SUBSCRIBERS; at++) await subscribe(url, baseUrl, `http://127.0.0.1:${port}/${at}`);
    await untilConfirmed(url);
    const posts: Promise<void>[] = [];
    const began = performance.now();
    for (let number = 0; number < count; number++) {
      posts.push(post(number));
      await wait(Math.max(began + ((number + 1) * 1000) / CHANGES_PER_SECOND - performance.now(), 0));
    }
    await Promise.all(posts);
    while (delivered.length < count * SUBSCRIBERS) await wait(50);
  } finally {
    subscribers.closeAllConnections();
    subscribers.close();
  }
  // It may be delivered before the answer has come here.
  return delivered.map(({ number, at }) => Math.max(at - acknowledged.get(number)!, 0));

  async function post(number: number): Promise<void> {
    const event = { location: { value: `n-${number}`, type: 'rel_path' }, change: 'created', length: number };
    await client.post(`/api/sets/${SLUG}/changes`, JSON.stringify({ changes: [event] }));
    acknowledged.set(number, performance.now());
  }
}

async function subscribe(url: string, baseUrl: string, callback: string): Promise<void> {
  const topic = `${baseUrl}/sets/${SLUG}/notifications.xml`;
  const form = { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback, 'hub.secret': callback };
  const { status } = await fetch(`${url}/hub`, { method: 'POST', body: new URLSearchParams(form) });
  if (status !== 202) throw new Error(`the hub answers ${status}`);
}

async function untilConfirmed(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/subscriptions`);
    const { subscriptions } = (await answer.json()) as { subscriptions: readonly { state: string }[] };
    if (subscriptions.filter(({ state }) => state === 'active').length === SUBSCRIBERS) return;
    await wait(100);
  }
}
