/**
 * `node:http` for what every server loads. An imported built-in module evaluates all that it exports, and some exports
 * of this one load the whole of `fetch`, which takes 13 MB. Its types are imported as ever.
 */
export const http = process.getBuiltinModule('node:http');
