import { mkdir, open } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

// What storing datasets takes at least: for each the same requests (its page, the API, its files), and one file with
// all bytes that is synced to the disk.
interface Options {
  readonly url: string;
  readonly first: number;
  readonly count: number;
  readonly atOnce: number;
  readonly folder: string;
}

interface Reply {
  readonly files: readonly { readonly links: { readonly self: string } }[];
}

const { url, first, count, atOnce, folder } = JSON.parse(process.argv[2]!) as Options;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
await mkdir(folder, { recursive: true });
const begun = performance.now();
let next = first;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < first + count) await store(next++);
  }),
);
const seconds = (performance.now() - begun) / 1000;
agent.destroy();
process.stdout.write(`${JSON.stringify({ seconds })}\n`);

async function store(id: number): Promise<void> {
  await read(`${url}/records/${id}`);
  const { files } = JSON.parse((await read(`${url}/api/records/${id}`)).toString()) as Reply;
  const bytes: Buffer[] = [];
  for (const { links } of files) bytes.push(await read(links.self));
  const file = await open(join(folder, String(id)), 'wx');
  await file.writev(bytes);
  await file.sync();
  await file.close();
}

function read(from: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(from, { agent }, (response) => {
      if (response.statusCode === 200) buffer(response).then(resolve, reject);
      else reject(new Error(`${from} was answered with ${response.statusCode}`));
    }).on('error', reject);
  });
}
