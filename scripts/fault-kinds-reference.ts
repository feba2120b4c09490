import { FAULT_KINDS, faultWords } from '../src/records/errata/fault-kinds.ts';

/** The kinds of faults as a table, with their likely causes and what to do. */
export function faultKindsReference(): string {
  const rows = Object.keys(FAULT_KINDS).map((kind) => {
    const { title = 'as its reason says', cause, advice } = faultWords(kind)!;
    return `| \`${kind}\` | ${[title, cause, advice].map(cell).join(' | ')} |\n`;
  });
  return `| kind | what is wrong | likely cause | what to do |\n|---|---|---|---|\n${rows.join('')}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/<[^<>]*>|&#?\w+;/g, '`$&`');
