import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const CHECKOUT = new URL('../../../', import.meta.url);

describe('docs/internals/dependencies.md', () => {
  const page = readFileSync(new URL('docs/internals/dependencies.md', CHECKOUT), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));

  for (const [title, packages] of [
    ['At run time', dependencies],
    ['For development', devDependencies],
  ]) {
    it(`names every package of package.json, and no other: ${title}`, () => {
      assert.deepEqual(packagesOf(title), Object.keys(packages).sort());
    });
  }

  /** The names in the first column of the table of a section. */
  function packagesOf(title: string): readonly string[] {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`))!;
    const cells = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell!);
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)).sort();
  }
});

describe('The version of Node', () => {
  const { engines } = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));

  it('is the same in package.json, README, docs and Dockerfile', () => {
    const pages = ['README.md', 'Dockerfile', ...readdirSync(new URL('docs', CHECKOUT)).map((name) => `docs/${name}`)];
    const versions = pages
      // What was measured names the exact version.
      .filter((name) => /\.md$|Dockerfile$/.test(name) && !name.startsWith('docs/performance'))
      .flatMap((name) => [...readFileSync(new URL(name, CHECKOUT), 'utf8').matchAll(/\bnode[ :](\d+)/gi)])
      .map(([, version]) => `>=${version}`);
    assert.deepEqual([...new Set(versions)], [engines.node]);
  });
});
