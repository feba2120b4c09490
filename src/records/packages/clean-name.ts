const MOST_CHARACTERS = 255;
// Control characters, and characters that change the writing direction.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The displayed name of a file in a package; no file is ever written under this name. Parts that would lead out of a
 * folder are removed, and unprintable characters are replaced.
 */
export function cleanName(name: string): string {
  const names = name.replaceAll('\\', '/').split('/');
  const path = names.filter((one) => one !== '' && one !== '.' && one !== '..').join('/');
  const text = path.replace(UNPRINTABLE, '\ufffd').toWellFormed();
  if (text === '') return '(no name)';
  // The end is more informative than the folders.
  return text.length > MOST_CHARACTERS ? `…${text.slice(1 - MOST_CHARACTERS).toWellFormed()}` : text;
}
