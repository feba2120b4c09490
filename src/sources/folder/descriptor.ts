import { close, fstat, read } from 'node:fs';
import { promisify } from 'node:util';
import type { OpenDescriptor } from './folder-file.ts';

const readInto = promisify(read);
const statOf = promisify(fstat);
const closeIt = promisify(close);

/** Wraps a file that a synchronous call opened, to read it in the threads of Node. The caller closes it. */
export function descriptor(file: number): OpenDescriptor {
  return {
    read: (into, offset, length, position) => readInto(file, into, offset, length, position),
    stat: (options) => statOf(file, options),
    close: () => closeIt(file),
  };
}
