import { writeFileSync } from 'node:fs';
import { references } from './references.ts';

/** Writes the parts of docs/ that are made from the code; test/unit/project/references.test.ts compares. */
for (const { file, page, made } of await references()) {
  if (page === made) continue;
  writeFileSync(file, made);
  console.info(`made anew: ${file.pathname}`);
}
