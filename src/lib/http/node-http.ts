/**
 * `node:http` for modules that every server loads. Importing a built-in module evaluates all its exports, and some of
 * this one load the whole of `fetch`, which takes 13 MB. Types can still be imported.
 */
export const http = process.getBuiltinModule('node:http');
