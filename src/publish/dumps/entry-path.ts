import type { ResourceKey } from '../../core/key.ts';

/** The folder of all resources in a package, beside its manifest. */
const FOLDER = 'resources';
/** Characters and segments of a key that are escaped, or may have to be. */
const NEEDS_CARE = /[%\\\u0000-\u001f\u007f]|\/\.{0,2}(?:\/|$)/;
/** In a decoded segment: characters that a name in a ZIP file cannot contain, and the escape character. */
const NOT_IN_NAME = /[\u0000-\u001f\u007f/\\%]/g;

/**
 * The name in a package for a resource below the set's prefix: its decoded path, so that unpacking creates files of
 * these names. Distinct keys have distinct names. Undefined for a URI elsewhere.
 */
export function entryPath(key: ResourceKey): string | undefined {
  if (!key.startsWith('/')) return undefined;
  if (!NEEDS_CARE.test(key)) return FOLDER + key;
  return [FOLDER, ...key.slice(1).split('/').map(nameOf)].join('/');
}

/**
 * Escapes in keys are upper-case (`%2F`), so the lower-case ones used for empty and dot segments have no other meaning.
 */
function nameOf(segment: string): string {
  if (segment === '') return '%2f';
  if (isAboveOrHere(segment)) return segment.replaceAll('.', '%2e');
  const name = decode(segment);
  if (name === undefined || isAboveOrHere(name)) return segment;
  return name.replace(NOT_IN_NAME, escapeOf);
}

/** Whether unpacking this name would write elsewhere. */
function isAboveOrHere(name: string): boolean {
  return name === '.' || name === '..';
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // A key that an earlier version stored; its text is used as the name.
    return undefined;
  }
}

function escapeOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
