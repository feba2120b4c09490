import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Answer } from './http-client.ts';
import { peakMemory } from './peak-memory.ts';

/** Made by nginx itself, or of one answer alone. */
const OWN_HEADERS = [
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'content-encoding',
  'etag',
  'last-modified',
  'accept-ranges',
  'vary',
  'x-request-id',
];

const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');

/**
 * nginx with one worker and the configuration of its package, without a log. It serves a folder, or what Tidemark
 * answered, with the same headers.
 */
export class Nginx {
  readonly #folder: string;
  readonly #port: number;
  /** By path. */
  readonly #locations = new Map<string, string>();
  #process: ChildProcess | undefined;

  /** @param folder that nothing else uses @throws Error that says how to get nginx */
  constructor(folder: string, port: number) {
    if (spawnSync('nginx', ['-v']).error) throw new Error('this needs nginx: "apt-get install nginx-light"');
    this.#folder = folder;
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Has it serve an answer, packed as it came when it was, under the same path. To be called before it starts. */
  add(path: string, { headers, body }: Answer): void {
    const file = join(this.#folder, 'files', path);
    mkdirSync(dirname(file), { recursive: true });
    const isPacked = headers['content-encoding'] === 'gzip';
    writeFileSync(file, isPacked ? gunzipSync(body) : body);
    if (isPacked) writeFileSync(`${file}.gz`, body);
    const modified = Date.parse(headers['last-modified']!) / 1000;
    for (const name of isPacked ? [file, `${file}.gz`] : [file]) utimesSync(name, modified, modified);
    const type = `types {} default_type "${headers['content-type']}";`;
    this.#locations.set(path, `location = ${path} { ${type} ${extra(headers)} }`);
  }

  start(): Promise<void> {
    const locations = [...this.#locations.values()].join('\n');
    return this.#start(this.#configuration(`gzip_static on; gzip_vary on; root files; ${locations}`));
  }

  /** Starts it on the files of a folder. */
  startOn(root: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    return this.#start(this.#configuration(`root ${root};`));
  }

  /** Starts it to write the bodies of requests to a file each, for `syncReceived`. */
  startReceiving(portOfAnswers: number): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const answers = `server { listen 127.0.0.1:${portOfAnswers}; return 204; }`;
    const body = 'client_max_body_size 0; client_body_in_file_only on; client_body_buffer_size 512k;';
    const answer = `proxy_pass http://127.0.0.1:${portOfAnswers}; proxy_pass_request_body off; proxy_set_header Content-Length "";`;
    return this.#start(this.#configuration(`location /uploads { ${body} ${answer} }`, answers));
  }

  /** Makes the bodies durable that were received since it was called last, then removes them. Returns the seconds. */
  syncReceived(): number {
    const bodies = join(this.#folder, 'client_body');
    const files = readdirSync(bodies).map((name) => join(bodies, name));
    if (files.length === 0) throw new Error('nginx has received nothing');
    const began = performance.now();
    for (const file of files) {
      const descriptor = openSync(file, 'r+');
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
    const seconds = (performance.now() - began) / 1000;
    for (const file of files) rmSync(file);
    return seconds;
  }

  /** The process that answers requests. */
  worker(): number {
    const children = readFileSync(`/proc/${this.#process!.pid!}/task/${this.#process!.pid!}/children`, 'utf8');
    return Number(children.trim().split(' ')[0]);
  }

  async #start(configuration: string): Promise<void> {
    const file = join(this.#folder, 'nginx.conf');
    writeFileSync(file, configuration);
    this.#process = spawn('nginx', ['-p', this.#folder, '-e', 'stderr', '-c', file], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    for (;;) {
      const answered = await fetch(this.url).catch(() => undefined);
      if (answered !== undefined) return;
      if (this.#process.exitCode !== null) throw new Error(`nginx ended with ${this.#process.exitCode}`);
      await wait(50);
    }
  }

  /** MB of all its processes. */
  peakMemory(): number {
    return peakMemory(this.#process!.pid!);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGQUIT');
    await exit;
  }

  /** @param server what it serves @param more other servers */
  #configuration(server: string, more = ''): string {
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    return `${user} daemon off; pid nginx.pid; error_log stderr crit; worker_processes 1;
      events { worker_connections 768; }
      http {
        ${TEMPORARY_PATHS}
        access_log off; sendfile on; tcp_nopush on; gzip on; keepalive_requests 100000000;
        server { listen 127.0.0.1:${this.#port}; ${server} }
        ${more}
      }`;
  }
}

function extra(headers: IncomingHttpHeaders): string {
  return Object.entries(headers)
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .map(([name, value]) => `add_header ${name} ${JSON.stringify(String(value))};`)
    .join(' ');
}
