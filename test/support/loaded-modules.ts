import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a process: when this exits, it writes the files of all CommonJS modules that it loaded to the file
 * `LOADED_MODULES_FILE`. The client of Elasticsearch is such a module.
 */
const { cache } = createRequire(import.meta.url);
if (isMainThread)
  process.on('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE!, Object.keys(cache).join('\n')));
