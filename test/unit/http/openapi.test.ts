import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as z from 'zod';
import { describedRoutes } from '../../../scripts/references.ts';
import { openApi } from '../../../src/http/openapi/openapi.ts';

describe('The description of the API', () => {
  const routes = describedRoutes();
  const document = openApi(routes, { version: '1.2.3', baseUrl: 'https://sync.example.org/base' });

  it('is valid OpenAPI 3.1 @long', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
  });

  it('has every route with its methods, and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const served = routes.flatMap(({ method, path }) => {
      const template = path.replace(/[:*](\w+)/g, '{$1}');
      return method === 'get' ? [`get ${template}`, `head ${template}`] : [`${method} ${template}`];
    });
    assert.deepEqual(described.sort(), served.sort());
  });

  it('gives every operation a name of its own', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length, names.join(' '));
  });

  it('names only components that it has, and has none that is not named', () => {
    const text = JSON.stringify(document);
    const named = new Set([...text.matchAll(/"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name));
    const { securitySchemes: _, ...parts } = document.components;
    const there = Object.entries(parts).flatMap(([part, some]) => Object.keys(some).map((name) => `${part}/${name}`));
    assert.deepEqual([...named].sort(), there.sort());
  });

  it('has examples that are what its schemas say', () => {
    let examples = 0;
    for (const { operation } of routes) {
      for (const schema of [...Object.values(operation.query?.shape ?? {}), ...Object.values(operation.body ?? {})]) {
        if (!(schema instanceof z.ZodType)) continue;
        for (const example of (schema.meta()?.examples as readonly unknown[] | undefined) ?? []) {
          const checked = schema.safeParse(example);
          assert.ok(checked.success, `${operation.id}: ${JSON.stringify(example)} ${checked.error?.message}`);
          examples += 1;
        }
      }
    }
    assert.ok(examples > 5);
  });

  it('lets no route of the JSON API take a misspelled parameter for none', () => {
    for (const { path, method, operation } of routes.filter(
      ({ path, operation }) => path.startsWith('/api/') && operation.tag !== 'pages',
    )) {
      const schema = operation.query;
      assert.ok(schema !== undefined, `${method} ${path} says nothing of its query: NO_PARAMETERS, when it has none`);
      assert.equal(schema.safeParse({ 'no-such-parameter': '1' }).success, false, `${method} ${path}`);
    }
  });

  it('describes the answer to requests for a removed set, of every operation that names a set', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        assert.ok('410' in responses || !path.includes('/{set}'), `${method} ${path}`);
      }
    }
  });

  it('has the headers that single operations read', () => {
    for (const [path, header] of [
      ['/sets/{set}/timegate/{path}', 'Accept-Datetime'],
      ['/api/sets/{set}/changes/stream', 'Last-Event-ID'],
    ] as const) {
      for (const { parameters } of Object.values(document.paths[path]!)) {
        assert.ok(
          parameters.some((one) => one.in === 'header' && one.name === header && !one.required),
          path,
        );
      }
    }
  });
});
