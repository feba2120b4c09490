import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES_OF_A_FOLDER = 100;

/** Makes files of words, each another one, a hundred in a folder. */
export function makeTextFiles(
  root: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): void {
  for (let at = 0; at < files; at++) {
    const folder = join(root, String(Math.floor(at / FILES_OF_A_FOLDER)).padStart(5, '0'));
    if (at % FILES_OF_A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${at}.txt`), textOf(at, bytes));
  }
}

function textOf(seed: number, bytes: number): string {
  let text = '';
  for (let value = seed + 1; text.length < bytes; value = (value * 48_271) % 2_147_483_647) {
    text += `${value.toString(36)} `;
  }
  return text.slice(0, bytes);
}
