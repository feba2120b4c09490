import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const CACHES = join(import.meta.dirname, '../../node_modules/.cache');
/** Of the program: V8 refuses what a process with other limits of the heap has compiled, and compiles it anew. */
export const PROGRAM_CACHE = join(CACHES, 'tidemark');

// Compiled once for all test files, and for every thread and process that they start: each starts in half the time, and
// none loads the 10 MB that strip types. Threads and processes read the variable when they start.
process.env.NODE_COMPILE_CACHE ??= join(CACHES, 'tidemark-tests');
enableCompileCache();
