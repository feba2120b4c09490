import type { FindSource } from '../config/set/source-setting.ts';

/** Loads the client only when it is needed: few sets copy another source. */
export const findSource: FindSource = async (options, name) => {
  const found = await import('../client/mirror/source/find-source-set.ts');
  return found.findSource(options, name);
};
