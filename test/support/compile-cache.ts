import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled once for all test files, and for every thread and process that they start: each starts in half the time, and
// none loads the 10 MB that strip types. Threads and processes read the variable when they start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/tidemark');
enableCompileCache();
