import { registerHooks } from 'node:module';

/** The folder of the program: `src`, or `dist` after the build. */
const PROGRAM = new URL('../', import.meta.url).href;
const [EXTENSION, FORMAT] = import.meta.url.endsWith('.ts') ? ['.ts', 'module-typescript'] : ['.js', 'module'];

// An import of a file of the program is resolved without asking the disk, since all are modules, and none is a link.
// Node looks for links, and for a package.json in each folder above: a quarter of the time that a command takes to
// start. Threads load too few files for that to matter.
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isOwn = specifier.startsWith('.') && specifier.endsWith(EXTENSION) && parentURL?.startsWith(PROGRAM);
    if (!isOwn) return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: FORMAT, shortCircuit: true };
  },
});
