import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Context } from 'mocha';
import { type S3Keys, type S3Options, S3Server } from '../../scripts/services/s3.ts';
import { type Contained, hasDocker, startS3Container } from './containers.ts';
import { atEndOfRun } from './leak-guard.ts';

/** A server starts at once, but a new checkout builds the program first. */
const TIMEOUT_MS = 600_000;

export interface S3Place {
  readonly endpoint: string;
  readonly keys: S3Keys;
  /** The folder of the buckets; undefined for a server that was started elsewhere. */
  readonly buckets?: string | undefined;
}

export interface OwnS3 {
  readonly server: S3Server;
  /** Ends it, and removes all that it wrote. */
  dispose(): Promise<void>;
}

/** A server for tests that stop, kill or pause it. Throws an error where none can be started. */
export async function startOwnS3(options: Omit<S3Options, 'folder'> = {}): Promise<OwnS3> {
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    const server = await S3Server.start({ ...options, folder });
    return { server, dispose: () => server.kill().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Call it in `describe`: its tests have a server to themselves, which they pause and kill, or are skipped. */
export function useOwnS3(options: Omit<S3Options, 'folder'> = {}): { readonly server: S3Server } {
  let own: OwnS3 | undefined;
  before(async function () {
    this.timeout(TIMEOUT_MS);
    try {
      own = await startOwnS3(options);
    } catch (error) {
      skipSuite(this, error);
    }
  });
  useKeys({
    get keys() {
      return own!.server.keys;
    },
  });
  after(() => own?.dispose());
  return {
    get server() {
      return own!.server;
    },
  };
}

export interface MadeBucket {
  readonly name: string;
  /** With all that is in it. */
  remove(): Promise<void>;
}

/** A bucket of its own, for a test whose server may be away after it. */
export async function makeBucket(place: S3Place): Promise<MadeBucket> {
  const client = clientOf(place);
  const name = uniqueBucket();
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    name,
    async remove() {
      await removeBucket(client, name);
      client.destroy();
    },
  };
}

let shared: Promise<S3Place> | undefined;

/**
 * Call it in `describe`: its tests share a server with others, or are skipped with the reason. Its properties can be
 * read while a test runs.
 */
export function useS3(): S3Place {
  let place: S3Place | undefined;
  before(async function () {
    this.timeout(TIMEOUT_MS);
    shared ??= findShared();
    try {
      place = await shared;
    } catch (error) {
      skipSuite(this, error);
    }
  });
  return {
    get endpoint() {
      return place!.endpoint;
    },
    get keys() {
      return place!.keys;
    },
    get buckets() {
      return place!.buckets;
    },
  };
}

export interface Bucket {
  readonly name: string;
  readonly client: S3Client;
  put(key: string, content?: string, more?: Partial<PutObjectCommandInput>): Promise<void>;
  /** Objects below a prefix, by their keys without it, without what only says whose copy a mirror keeps there. */
  files(prefix: string): Promise<Readonly<Record<string, string>>>;
}

/** Call it in `describe`: a bucket of its own for each test of a suite, removed after it. */
export function useBucket(place: S3Place): Bucket {
  let bucket = '';
  let client: S3Client | undefined;
  beforeEach(async () => {
    client = clientOf(place);
    bucket = uniqueBucket();
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterEach(async () => {
    await removeBucket(client!, bucket);
    client!.destroy();
  });
  return {
    get name() {
      return bucket;
    },
    get client() {
      return client!;
    },
    async put(Key, content = Key, more = {}) {
      // Without its length, an empty body is taken for a stream.
      const Body = Buffer.from(content);
      await client!.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength: Body.length, ...more }));
    },
    async files(Prefix) {
      const files: [string, string][] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client: client! }, { Bucket: bucket, Prefix })) {
        for (const { Key } of Contents) {
          if (Key === `${Prefix}.tidemark-mirror.json`) continue;
          const { Body } = await client!.send(new GetObjectCommand({ Bucket: bucket, Key: Key! }));
          files.push([Key!.slice(Prefix.length), await Body!.transformToString()]);
        }
      }
      return Object.fromEntries(files);
    },
  };
}

/** The location of a prefix as people write it. */
export function rootOf({ endpoint }: Pick<S3Place, 'endpoint'>, bucket: string, prefix = ''): string {
  return `s3://${bucket}/${prefix}?endpoint=${endpoint}`;
}

const KEY_VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Call it in `describe`: its tests find the server's keys in the environment, as the program does. */
export function useKeys(place: Pick<S3Place, 'keys'>): void {
  const outside = KEY_VARIABLES.map((name) => [name, process.env[name]] as const);
  before(() => Object.assign(process.env, environmentOf(place)));
  after(() => {
    for (const [name, value] of outside) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

/** What gives a process access to the server. */
export function environmentOf({ keys }: Pick<S3Place, 'keys'>): Record<(typeof KEY_VARIABLES)[number], string> {
  return { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
}

export function clientOf({ endpoint, keys }: S3Place): S3Client {
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: keys });
}

export function uniqueBucket(): string {
  return `tidemark-${crypto.randomUUID()}`;
}

export async function removeBucket(client: S3Client, Bucket: string, { keepBucket = false } = {}): Promise<void> {
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
      const Objects = Contents.map(({ Key }) => ({ Key }));
      if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    }
    if (!keepBucket) await client.send(new DeleteBucketCommand({ Bucket }));
  } catch (error) {
    if ((error as Error).name !== 'NoSuchBucket') throw error;
  }
}

async function findShared(): Promise<S3Place> {
  const { S3_ENDPOINT: endpoint, S3_MISSING: missing } = process.env;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (missing !== undefined) throw new Error(missing);
  if (endpoint !== undefined) {
    if (!accessKeyId || !secretAccessKey) {
      throw new Error('S3_ENDPOINT names a server, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are missing');
    }
    return { endpoint, keys: { accessKeyId, secretAccessKey } };
  }
  const { service, dispose } = await startSharedS3();
  atEndOfRun(dispose);
  return service;
}

/** Starts a server for several tests, which do not stop it: in a container where a Docker engine answers. */
export async function startSharedS3(): Promise<Contained<S3Place>> {
  if (await hasDocker()) return startS3Container();
  const { server, dispose } = await startOwnS3();
  return { service: server, dispose };
}

/** Under CI nothing may be skipped, and it throws. */
function skipSuite(context: Context, error: unknown): void {
  if (process.env.CI === 'true') throw error;
  const [reason, ...more] = (error as Error).message.split('\n');
  if (more.length > 0) console.error(error);
  context.test!.parent!.eachTest((test) => {
    test.title += ` (needs an S3 server: ${reason})`;
  });
  context.skip();
}
