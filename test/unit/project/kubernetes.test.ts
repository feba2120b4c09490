import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describedRoutes } from '../../../scripts/references.ts';
import { accessPolicy } from '../../../src/access/access-policy.ts';
import { loadCommands } from '../../../src/cli/command-list.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { settingOf } from '../../../src/config/settings.ts';
import { readComposeFile, repositoryFile, variablesOfImage } from '../../support/compose-file.ts';
import { itNeeding } from '../../support/it-needing.ts';
import {
  buildManifests,
  complaintsAbout,
  type Labels,
  type Manifest,
  missingValidator,
  parseManifests,
} from '../../support/kubernetes-manifests.ts';

const SECRETS = {
  store: 'https://tidemark:pa55-word@search.example.org:9200\n',
  token: 'an-administrators-token\n',
  'aws-credentials': '[default]\naws_access_key_id = tidemark\naws_secret_access_key = 90c4e1\n',
};

interface Pod {
  /** Of what makes it. */
  readonly name: string;
  readonly labels: Labels;
  readonly spec: Manifest['spec'];
  readonly container: Manifest['spec'];
}

describe('The manifests of Kubernetes @long', () => {
  let folder: string;
  let built: string;
  let manifests: readonly Manifest[];
  let base: readonly Manifest[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    cpSync(new URL('../../../ops/kubernetes', import.meta.url), folder, { recursive: true });
    mkdirSync(join(folder, 'example/secrets'));
    for (const [name, text] of Object.entries(SECRETS)) writeFileSync(join(folder, 'example/secrets', name), text);
    const text = await buildManifests(join(folder, 'example'));
    built = join(folder, 'built.yaml');
    writeFileSync(built, text);
    manifests = parseManifests(text);
    base = parseManifests(await buildManifests(join(folder, 'base')));
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const version of ['1.30', '1.37']) {
    itNeeding({ name: 'kubernetes-validate', missing: missingValidator() }, `are valid for ${version}`, () => {
      // The schema of this kind is one of the Prometheus Operator.
      const expected = /^WARN \S+ Couldn't find schema for kind ServiceMonitor .*\n$/;
      assert.match(complaintsAbout(built, version), expected);
    });
  }

  it('start commands with variables that are settings, and secrets in files that are mounted', async () => {
    for (const pod of pods()) {
      const environment = environmentOf(pod);
      const { configuration } = loadConfiguration({ flags: {}, environment, workingDirectory: '/nowhere' });

      assert.equal(configuration.baseUrl, 'https://sync.example.org');
      assert.partialDeepStrictEqual(configuration.store, {
        nodes: ['https://search.example.org:9200'],
        authorization: `Basic ${btoa('tidemark:pa55-word')}`,
      });
      assert.equal(configuration.artifacts.kind, 's3');
      assert.equal(configuration.dataFolder, '/data/tidemark');
      assert.equal(accessPolicy(configuration, configuration.host).mode, 'token');
      const [command, ...flags] = pod.container.args;
      const [found, ...others] = await loadCommands([command]);
      assert.deepEqual([found?.usage, others], [command, []]);
      const taken = found?.settings?.map((name) => settingOf(name).flag) ?? [];
      for (const flag of flags) assert.ok(taken.includes(flag), flag);
    }
    assert.deepEqual(
      pods()
        .map(({ container }) => container.args[0])
        .sort(),
      ['migrate', 'serve', 'work'],
    );
  });

  it('do not start without an overlay, because a pod would lose what it stores', () => {
    const { data } = base.find(({ kind }) => kind === 'ConfigMap')!;
    const environment = { ...variablesOfImage(), ...data };

    assert.throws(
      () => loadConfiguration({ flags: {}, environment, workingDirectory: '/nowhere' }),
      ({ message }: Error) =>
        ['TIDEMARK_ARTIFACTS', 'TIDEMARK_BASE_URL', 'TIDEMARK_STORE_FILE'].every((name) => message.includes(name)),
    );
  });

  it('request paths that are served, at ports that are open', () => {
    const paths = new Set(describedRoutes().map(({ path }) => path));
    const { ports, startupProbe, livenessProbe, readinessProbe } = server().container;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      assert.ok(paths.has(httpGet.path), httpGet.path);
      assert.equal(httpGet.port, ports[0].name);
    }
    assert.deepEqual(
      ports.map(({ containerPort }: { containerPort: number }) => String(containerPort)),
      [variablesOfImage().TIDEMARK_PORT],
    );

    const service = one('Service');
    assert.equal(service.spec.ports[0].targetPort, ports[0].name);
    assert.deepEqual(podsWith(service.spec.selector), ['tidemark']);
    const monitor = one('ServiceMonitor').spec;
    assert.ok(paths.has(monitor.endpoints[0].path));
    assert.equal(monitor.endpoints[0].port, service.spec.ports[0].name);
    assert.ok(matches(monitor.selector.matchLabels, service.metadata.labels));
    const { backend } = one('Ingress').spec.rules[0].http.paths[0];
    assert.deepEqual(backend.service, { name: service.metadata.name, port: { name: service.spec.ports[0].name } });
  });

  it('select the pods that they are meant for', () => {
    for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
      assert.deepEqual(podsWith(spec.selector.matchLabels), [metadata.name]);
    }
    assert.deepEqual(podsWith(one('PodDisruptionBudget').spec.selector.matchLabels), ['tidemark']);
    const policies = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata, spec }) => [metadata.name, podsWith(spec.podSelector.matchLabels)]);
    assert.deepEqual(Object.fromEntries(policies), {
      tidemark: ['tidemark', 'tidemark-migrate', 'tidemark-workers'],
      'tidemark-servers': ['tidemark'],
    });
  });

  it('run as the user of the image, who may write into volumes alone, and get no variables of services', () => {
    const user = Number(/^USER (\d+)$/m.exec(repositoryFile('Dockerfile'))?.[1]);
    for (const { spec, container } of pods()) {
      assert.partialDeepStrictEqual(spec.securityContext, { runAsNonRoot: true, runAsUser: user, fsGroup: user });
      assert.partialDeepStrictEqual(container.securityContext, {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(spec.enableServiceLinks, false);
      assert.match(container.image, /:\d/);
      assert.ok(container.resources.limits.memory !== undefined);
      const mounts: readonly { readonly mountPath: string }[] = container.volumeMounts;
      const writable = mounts.map(({ mountPath }) => mountPath).filter((path) => !path.startsWith('/run/'));
      assert.deepEqual(writable, ['/data', '/tmp']);
    }
    assert.equal(variablesOfImage().TIDEMARK_DATA, '/data');
  });

  it('let a server end what it has begun, as docker-compose.yml does', () => {
    const composeSeconds = Number.parseInt(readComposeFile().services.tidemark!.stop_grace_period!, 10);
    const { spec, container } = server();
    const [program, seconds] = container.lifecycle.preStop.exec.command;

    assert.equal(program, 'sleep');
    assert.ok(spec.terminationGracePeriodSeconds >= composeSeconds + Number(seconds));
  });

  function pods(): readonly Pod[] {
    return manifests.flatMap(({ kind, metadata: { name }, spec }) => {
      const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
      if (template === undefined) return [];
      return { name, labels: template.metadata.labels, spec: template.spec, container: template.spec.containers[0] };
    });
  }

  function server(): Pod {
    return pods().find(({ container }) => container.args[0] === 'serve')!;
  }

  function podsWith(labels: Labels): readonly string[] {
    return pods()
      .filter((pod) => matches(labels, pod.labels))
      .map(({ name }) => name)
      .sort();
  }

  function matches(selector: Labels, labels: Labels = {}): boolean {
    return Object.entries(selector).every(([name, value]) => labels[name] === value);
  }

  function one(kind: string): Manifest {
    const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
    assert.ok(found !== undefined && others.length === 0, kind);
    return found;
  }

  /** The variables of a container, with the files of mounted secrets where this test has written them. */
  function environmentOf({ spec, container }: Pod): Record<string, string> {
    const isSecrets = ({ name }: { readonly name: string }) => name === 'secrets';
    const { mountPath } = container.volumeMounts.find(isSecrets);
    const mounted = named(spec.volumes.find(isSecrets).secret.secretName).data!;
    const settings = Object.entries(named(container.envFrom[0].configMapRef.name).data!);
    const here = settings.map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value];
      const key = value.slice(mountPath.length + 1);
      assert.ok(value.startsWith(`${mountPath}/`) && key in mounted, value);
      return [name, join(folder, 'example/secrets', key)];
    });
    return { ...variablesOfImage(), ...Object.fromEntries(here) };
  }

  function named(wanted: string): Manifest {
    return manifests.find(({ metadata: { name } }) => name === wanted)!;
  }
});
