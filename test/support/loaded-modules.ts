import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, threadId } from 'node:worker_threads';

/**
 * Preloaded into a process: when this exits, it writes to the file `LOADED_MODULES_FILE` the files of all CommonJS
 * modules that it loaded, the modules of Node, and what it used of `Intl`. Each thread that ends by itself writes its
 * own to a file with the number of the thread at the end of its name.
 */
const { cache } = createRequire(import.meta.url);
const used: string[] = [];
if (isMainThread) {
  for (const name of ['NumberFormat', 'DateTimeFormat', 'RelativeTimeFormat'] as const) record(Intl, name, 'Intl');
  for (const type of [Number, Date]) record(type.prototype, 'toLocaleString', 'Intl');
}
const file = `${process.env.LOADED_MODULES_FILE!}${isMainThread ? '' : `-${threadId}`}`;
process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  writeFileSync(file, [...Object.keys(cache), ...moduleLoadList, ...used].join('\n'));
});

function record<Name extends string>(owner: { [name in Name]: object }, name: Name, what: string): void {
  const recorded = () => used.push(`${what}: ${name}`);
  owner[name] = new Proxy(owner[name] as () => void, {
    apply(target, self, values) {
      recorded();
      return Reflect.apply(target, self, values);
    },
    construct(target, values) {
      recorded();
      return Reflect.construct(target, values);
    },
  });
}
