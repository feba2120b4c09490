import { isArtifactStoreAway, type TidemarkError } from './errors.ts';

/** Details that may contain a path of this machine. The message repeats it. */
const PATHS = ['root', 'file', 'folder', 'artifacts'] as const;
/** An absolute path in the message of a library, except a part of a URL. */
const PATH = /(?<![\w:/.])\/(?:[\w.@+~-]+\/)*[\w.@+~-]+/g;
/** As `describeS3` names it. */
const BUCKET = /s3:\/\/[^\s:;,]+/g;
/** The address of a store or a bucket, which may be inside of a private network. */
const SERVER = /https?:\/\/\S*[^\s:;,.()"]/g;

type Shown = Pick<TidemarkError, 'message' | 'details'>;

/**
 * The parts of a server error that clients may read. Which stores and buckets there are, and where, is no business of
 * theirs, and what is wrong with one is in the log.
 */
export function shownToClients(error: TidemarkError): Shown {
  const { message, details } = shownWithUrls(error);
  return { message: message.replace(SERVER, '…'), details };
}

/** As `shownToClients`, for an error about a URL that a client has given. */
export function shownWithUrls(error: TidemarkError): Shown {
  if (isArtifactStoreAway(error)) return { message: 'the artifact store is unavailable for now', details: {} };
  const { message, details } = withoutPaths(error);
  const { forOperators, root, movedTo, paused, ...others } = details;
  const text = typeof forOperators === 'string' ? message.replace(forOperators, () => '…') : message;
  return { message: withoutBuckets(text), details: others };
}

/** The text of an error without names of buckets. */
export function withoutBuckets(text: string): string {
  return text.replace(BUCKET, '…');
}

/** The parts of a server error that people other than the operator may read: without paths of this machine. */
export function withoutPaths({ message, details }: TidemarkError): Shown {
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
