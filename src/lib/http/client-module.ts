/**
 * The module that sends requests. It is loaded at the first call, and without `fetch`: node-http.ts says why it is not
 * imported.
 */
export function clientModule(isSecure: boolean): Pick<typeof import('node:http'), 'request'> {
  return process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
}
