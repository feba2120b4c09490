import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessPolicy } from '../../../src/access/access-policy.ts';
import { placeOfArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { describeStore } from '../../../src/stores/locations.ts';
import {
  type ComposeService,
  composeVariables,
  interpolate,
  readComposeFile,
  repositoryFile,
  variablesOfImage,
} from '../../support/compose-file.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const FILLED_IN = {
  ELASTIC_PASSWORD: '4f2a9c',
  TIDEMARK_TOKEN: 'b71e03d5',
  S3_ACCESS_KEY: 'tidemark',
  S3_SECRET_KEY: '90c4e1',
};
const example = repositoryFile('.env.example');
const SECRETS = { ...FILLED_IN, TIDEMARK_STORE: interpolate(/^TIDEMARK_STORE=(.*)$/m.exec(example)![1]!, FILLED_IN) };
const manifest = JSON.parse(repositoryFile('package.json'));
const dockerfile = repositoryFile('Dockerfile');

describe('docker-compose.yml', () => {
  const { services, volumes } = readComposeFile(SECRETS);
  const everyService = Object.entries(services);
  const folder = useTempFolder();

  it('starts Tidemark on Elasticsearch, open to readers, and to clients that have the token', () => {
    const { configuration } = configurationOfContainer(SECRETS);

    assert.equal(describeStore(configuration.store), 'http://elasticsearch:9200 (indices omtd-resourcesync-*)');
    assert.equal(
      configuration.store.kind === 'elasticsearch' && configuration.store.authorization,
      `Basic ${btoa(`elastic:${SECRETS.ELASTIC_PASSWORD}`)}`,
    );
    assert.equal(services.elasticsearch?.environment?.ELASTIC_PASSWORD, SECRETS.ELASTIC_PASSWORD);
    assert.equal(accessPolicy(configuration, configuration.host).mode, 'token');
  });

  it('stores artifacts on the S3 server, in a bucket that exists when that is healthy', () => {
    const { artifacts } = configurationOfContainer(SECRETS).configuration;
    const { s3, tidemark } = services;
    const [, bucket] = /mkdir -p \/buckets\/(\w+) &&/.exec(s3?.healthcheck?.test[1] ?? '') ?? [];

    assert.partialDeepStrictEqual(placeOfArtifacts(artifacts).bucket, {
      bucket,
      prefix: 'artifacts/',
      endpoint: `http://s3${s3?.environment?.VGW_PORT}`,
    });
    assert.equal(tidemark?.environment?.AWS_ACCESS_KEY_ID, s3?.environment?.ROOT_ACCESS_KEY_ID);
    assert.equal(tidemark?.environment?.AWS_SECRET_ACCESS_KEY, s3?.environment?.ROOT_SECRET_ACCESS_KEY);
  });

  it('shows the secrets of Tidemark in no variable of its container', () => {
    const shown = JSON.stringify(services.tidemark);

    for (const secret of [SECRETS.TIDEMARK_TOKEN, SECRETS.ELASTIC_PASSWORD]) assert.ok(!shown.includes(secret));
  });

  it('publishes under the address where its port is', () => {
    assert.equal(configurationOfContainer(SECRETS).configuration.baseUrl, 'http://localhost:8080');
    assert.equal(
      configurationOfContainer({ ...SECRETS, PUBLISHED_PORT: '9000' }).configuration.baseUrl,
      'http://localhost:9000',
    );
    const { port } = configurationOfContainer(SECRETS).configuration;
    assert.deepEqual(services.tidemark?.ports, [`127.0.0.1:8080:${port}`]);
  });

  for (const name of Object.keys(SECRETS)) {
    it(`does not start without ${name}`, () => {
      assert.throws(
        () => readComposeFile({ ...SECRETS, [name]: '' }),
        (error: Error) => error.message === `${name} is missing in .env, see .env.example`,
      );
    });
  }

  it('asks for nothing that .env.example does not describe', () => {
    const listed = [...example.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name]) => name!);

    assert.deepEqual(listed.sort(), [...composeVariables()].sort());
  });

  it('lets no other machine in, unless an operator changes it', () => {
    const ports = everyService.flatMap(([, { ports = [] }]) => ports);

    assert.ok(ports.length >= everyService.length);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/);
  });

  for (const [name, service] of everyService) {
    it(`pins the image of ${name}, limits its memory, and knows whether it is healthy`, () => {
      assert.match(imageOf(service), /:v?\d+[\w.-]*$/);
      assert.match(service.mem_limit ?? '', /^\d+[mg]$/);
      if (service.build === undefined) assert.match(service.healthcheck?.test[0] ?? '', /^CMD(-SHELL)?$/);
      else assert.match(dockerfile, /^HEALTHCHECK /m);
    });

    it(`keeps the data of ${name} in a volume that is there, and waits for services that are`, () => {
      const named = (service.volumes ?? []).map((volume) => volume.split(':')[0]!);
      assert.notEqual(named.length, 0);
      for (const volume of named) assert.ok(volume in volumes, volume);

      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.ok(services[needed] !== undefined, needed);
        assert.equal(condition, 'service_healthy');
      }
    });
  }

  it('starts Tidemark when Elasticsearch and the S3 server are healthy', () => {
    assert.deepEqual(Object.keys(services).sort(), ['elasticsearch', 's3', 'tidemark']);
    assert.deepEqual(Object.keys(services.tidemark?.depends_on ?? {}), ['elasticsearch', 's3']);
    for (const [name, { profiles }] of everyService)
      assert.equal(profiles, undefined, `${name} is not started by itself`);
  });

  /** What the program makes of what its container is given. Throws for a variable that is not a setting. */
  function configurationOfContainer(variables: Readonly<Record<string, string>>) {
    const { services, secrets } = readComposeFile(variables);
    const { environment = {}, secrets: mounted = [] } = services.tidemark!;
    for (const name of mounted) folder.write(name, variables[secrets[name]!.environment]);
    const here = Object.entries(environment).map(([name, value]) => [name, value.replace('/run/secrets', folder.path)]);
    return loadConfiguration({
      flags: {},
      environment: { ...variablesOfImage(), ...Object.fromEntries(here) },
      workingDirectory: '/nowhere',
    });
  }
});

describe('the Dockerfile', () => {
  it('has the Node that package.json asks for, in every stage', () => {
    const wanted = /\d+/.exec(manifest.devDependencies.node)?.[0];
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);

    assert.ok(images.length > 0);
    for (const image of images) assert.match(image ?? '', new RegExp(`^node:${wanted}-slim$`));
  });

  it('starts the program of the package by Node itself, as a user who is not root', () => {
    const start = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]');

    assert.deepEqual(start, ['node', `/app/${manifest.bin.tidemark}`]);
    assert.match(dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')), /^USER [1-9]\d*$/m);
  });

  it('asks for the health of its own server, when that shares its port with others @long', async () => {
    const [, ...command] = JSON.parse(/^HEALTHCHECK .*\n +CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]');
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const check = async (env: Readonly<Record<string, string>>) =>
      (await once(spawn(process.execPath, command, { env }), 'exit'))[0];
    try {
      assert.equal(await check({ TIDEMARK_PORT: port }), 0);
      assert.equal(await check({ TIDEMARK_PORT: '1', TIDEMARK_OWN_PORT: port }), 0);
      assert.equal(await check({ TIDEMARK_PORT: port, TIDEMARK_OWN_PORT: '1' }), 1);
    } finally {
      server.close();
    }
  });

  it('keeps its data where its volume is', () => {
    assert.equal(variablesOfImage().TIDEMARK_DATA, /^VOLUME (\S+)$/m.exec(dockerfile)?.[1]);
    assert.ok(services().tidemark?.volumes?.includes(`tidemark-data:${variablesOfImage().TIDEMARK_DATA}`));
  });

  it('is given all that the package is made of, and no secret', () => {
    const ignored = repositoryFile('.dockerignore').split('\n');
    const made = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json', '.npmrc'];

    assert.ok(ignored.includes('*'));
    for (const name of [...made, ...manifest.files.filter((name: string) => name !== 'dist')]) {
      assert.ok(ignored.includes(`!${name}`), `.dockerignore leaves out ${name}`);
    }
    assert.ok(!ignored.some((line) => line.startsWith('!.env')));
    assert.ok(repositoryFile('.gitignore').split('\n').includes('.env'));
  });

  function services(): Readonly<Record<string, ComposeService>> {
    return readComposeFile(SECRETS).services;
  }
});

function imageOf({ image, build }: ComposeService): string {
  return image ?? (build === '.' ? (/^FROM (\S+)/m.exec(dockerfile)?.[1] ?? '') : '');
}
