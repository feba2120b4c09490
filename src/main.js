#!/usr/bin/env node
// JavaScript that Node 14 reads, so that no version needs to strip types before it gets here: an old one says what is
// missing, and a new one finds the compiled sources in the cache, without the 13 MB of memory that stripping takes.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const isClone = existsSync(join(folder, 'app.ts'));
const { engines } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));
const needed = Number(/\d+/.exec(engines.node)[0]);
if (Number(process.versions.node.split('.')[0]) < needed) {
  const own = isClone
    ? `: run "npm ci" in ${dirname(folder)}, which installs one, and then bin/tidemark there, or`
    : ',';
  stop(
    `this is Node ${process.versions.node}, and Tidemark needs Node ${needed} or newer${own} see https://nodejs.org`,
  );
}
// The built program has no types to strip, and takes less memory without the cache.
if (isClone) {
  const cache = join(folder, '../node_modules/.cache/tidemark');
  modules.enableCompileCache(cache);
  // Threads do not inherit it, but each reads this when it starts.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
}
const { runCli } = await import('./cli/run-cli.ts').catch((error) => {
  // Of a package there is no URL, or one in node_modules.
  const isOwnFile = String(error.url).startsWith(new URL('.', import.meta.url).href);
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isClone || isOwnFile) throw error;
  stop(`packages that it needs are missing: run "npm ci" in ${dirname(folder)}`);
});
process.exitCode = await runCli(process);
// Whatever a command left open, a finished command ends: handles that would keep it are closed by then, or of no use
// any more.
process.exit();

function stop(message) {
  process.stderr.write(`tidemark: ${message}\n`);
  process.exit(2);
}
