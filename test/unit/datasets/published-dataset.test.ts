import assert from 'node:assert/strict';
import { type Dataset, datasetId } from '../../../src/datasets/dataset.ts';
import type { ManifestFile } from '../../../src/datasets/manifest.ts';
import { fileKey, manifestKey, publishedFiles } from '../../../src/datasets/published-dataset.ts';

const datasetOf = (id: string, version?: string): Dataset => {
  const platform = {
    name: 'dataverse',
    domain: 'data.example.org:8443',
    id,
    ...(version !== undefined && { version }),
  };
  const manifest = { artifact: '', length: 0, sha256: '' };
  return {
    ...{
      id: datasetId('datasets', platform),
      set: 'datasets',
      platform,
      landingUrl: 'https://data.example.org/',
      manifest,
    },
    ...{ strategy: 'web-fileset', fileCount: 1, totalSize: 1, stored: 0 },
  };
};
const fileOf = (path: string): ManifestFile => ({
  ...{ status: 'success', path, stored: { artifact: 'x', offset: 0, length: 1 } },
});

describe('the resources of a dataset', () => {
  it('have keys of its domain, id and version, so that versions are beside each other (d11)', () => {
    assert.equal(
      manifestKey(datasetOf('doi:10.7910/DVN/CLSFKX', '1.1')),
      '/data.example.org:8443/doi:10.7910/DVN/CLSFKX/v1.1/manifest.json',
    );
    assert.equal(fileKey(datasetOf('7'), fileOf('a b/ü.csv'), 1), '/data.example.org:8443/7/a%20b/%C3%BC.csv');
  });

  it('have keys that are paths within the domain, and fit into a URI', () => {
    assert.equal(
      manifestKey(datasetOf('../../a//b', '../2')),
      '/data.example.org:8443/_../_../a/_/b/v.._2/manifest.json',
    );
    const long = fileKey(datasetOf('x'.repeat(5_000)), fileOf(`${'ü'.repeat(400)}.csv`), 12);
    assert.match(long, /^\/data\.example\.org:8443\/[0-9a-f]{32}\/000012~\.csv$/);
  });

  it('are those whose bytes are stored here, and of a bundled dataset its bundle (D07, D10, D13, d16)', () => {
    const dataset = datasetOf('7');
    const { stored: _, ...remote } = fileOf('elsewhere');
    const keysOf = (manifest: Parameters<typeof publishedFiles>[1]) =>
      publishedFiles(dataset, manifest).map(({ key }) => key);
    assert.deepEqual(keysOf({ files: [fileOf('a'), remote] }), ['/data.example.org:8443/7/a']);
    const bundle = fileOf('all.zip');
    assert.deepEqual(keysOf({ files: [remote], bundle } as never), ['/data.example.org:8443/7/all.zip']);
  });
});
