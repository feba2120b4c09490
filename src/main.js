#!/usr/bin/env node
// JavaScript, so that no version of Node needs to strip types before it gets here: an old one says what is missing, and
// a new one finds the compiled sources in the cache, without the 13 MB of memory that stripping takes.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';

const folder = import.meta.dirname;
const { engines } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));
const needed = Number(/\d+/.exec(engines.node)?.[0]);
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < needed) {
  process.stderr.write(
    `tidemark: this is Node ${process.versions.node}, and Tidemark needs Node ${needed} or newer.\n` +
      'In a clone, "npm ci" installs one, which "npm start --" uses. Or install a newer Node: https://nodejs.org\n',
  );
  process.exit(2);
}
// The built program has no types to strip, and takes less memory without the cache.
if (existsSync(join(folder, 'app.ts'))) {
  const cache = join(folder, '../node_modules/.cache/tidemark');
  modules.enableCompileCache(cache);
  // Threads do not inherit it, but each reads this when it starts.
  process.env.NODE_COMPILE_CACHE ??= cache;
}
const { limitHeaps } = await import('./cli/limit-heaps.ts');
limitHeaps();
const { runCli } = await import('./cli/run-cli.ts');
process.exitCode = await runCli(process);
// Whatever a command left open, a finished command ends: handles that would keep it are closed by then, or of no use
// any more.
process.exit();
