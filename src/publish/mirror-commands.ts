import type { ResourceSet } from '../core/resource-set.ts';
import { documentUri } from './documents.ts';

interface MirrorCommand {
  /** The name of the program, and its effect. */
  readonly title: string;
  /** A line for a shell. */
  readonly command: string;
}

/**
 * Commands that copy a set and keep the copy in sync, ready to run: web pages and the command line show the same.
 * @param program the name of this program
 */
export function mirrorCommands(
  set: Pick<ResourceSet, 'slug' | 'urlPrefix' | 'private'>,
  baseUrl: string,
  program = 'tidemark',
): readonly MirrorCommand[] {
  const { slug, urlPrefix, private: isPrivate } = set;
  const capabilityList = quoted(documentUri(baseUrl, { kind: 'capabilityList', set: slug }));
  // Not the slug: the published folder often has that name, and the reference client deletes files that are not listed.
  const copy = `${slug}-copy`;
  const token = isPrivate === true ? ' --token-file token.txt' : '';
  const ours = {
    title: 'With Tidemark: copy it, and keep the copy in sync',
    command: `${program} mirror ${capabilityList} ${copy} --follow${token}`,
  };
  // The reference client sends no token of its own.
  if (isPrivate === true) return [ours];
  return [
    ours,
    {
      title: 'With the reference client: copy it once',
      command: `resync-sync --baseline --delete --capabilitylist ${capabilityList} ${quoted(urlPrefix)} ${copy}`,
    },
  ];
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.~@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
