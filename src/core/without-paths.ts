import type { TidemarkError } from './errors.ts';

/** Details that may contain a path of this machine. The message repeats it. */
const PATHS = ['root', 'file', 'folder', 'artifacts'] as const;
/** An absolute path in the message of a library, except a part of a URL. */
const PATH = /(?<![\w:/.])\/(?:[\w.@+~-]+\/)*[\w.@+~-]+/g;

/** The parts of a server error that people other than the operator may read: without paths of this machine. */
export function withoutPaths({ message, details }: TidemarkError): Pick<TidemarkError, 'message' | 'details'> {
  const others = { ...details };
  let text = message;
  for (const name of PATHS) {
    const path = details[name];
    if (typeof path !== 'string' || !path.startsWith('/')) continue;
    delete others[name];
    text = text.replaceAll(` ${path}`, '').replaceAll(path, '…');
  }
  return { message: text.replace(PATH, '…'), details: others };
}
