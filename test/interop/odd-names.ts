import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Paths of files that need care in a URI, in XML, or on disk. */
export const ODD_NAMES: readonly string[] = [
  'plain.txt',
  'a space.txt',
  'two  spaces .txt',
  'amper&sand.txt',
  'amper&amp;sand.txt',
  '100%.txt',
  '100%25.txt',
  'a%20space.txt',
  'a%2Fslash.txt',
  'num#ber.txt',
  'quest?ion=1.txt',
  'semi;colon.txt',
  'pl+us.txt',
  'pl us.txt',
  'equals=at@colon:comma,dollar$.txt',
  `quotes'"<angle>.txt`,
  '[brackets]{braces}(parens)!*~^`|.txt',
  'back\\slash.txt',
  '...three dots.txt',
  'caf\u00e9.txt',
  'cafe\u0301.txt',
  '\uac00.txt',
  '\u1100\u1161.txt',
  '日本語/☃ & \u{1f5fa}.txt',
  'fold%er #1?/a&b/c+d;e.txt',
  'UPPER.TXT',
  'upper.txt',
];

/** Every file holds its own path. */
export async function writeOddFiles(folder: string): Promise<void> {
  for (const path of ODD_NAMES) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
}
