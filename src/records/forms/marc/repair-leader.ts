import { LEADER_LENGTH } from './iso2709.ts';

const NO_BREAK_SPACES = /\u00a0/g;
/** Length, status, type and level; two positions before 22 and the base address; three before 4500. */
const COLLAPSED = /^(?!.* {2})(\d{5}\S{3})( |..)(22\d{5})( |\S | \S|...)4500$/;

/**
 * Restores the blanks of a leader in XML: those that became no-break spaces, and those of which a program left only one
 * of several. Its fixed parts determine where blanks are missing; any other leader stays as it is.
 */
export function repairLeader(leader: string): string {
  const text = leader.replace(NO_BREAK_SPACES, ' ');
  if (text.length >= LEADER_LENGTH) return text;
  const [, start, coding, base, levels] = COLLAPSED.exec(text) ?? [];
  if (start === undefined) return text;
  return `${start}${withBlanks(coding!, 2)}${base}${withBlanks(levels!, 3)}4500`;
}

/** Puts the missing blanks beside the only one that is left. */
function withBlanks(text: string, length: number): string {
  return text.replace(' ', ' '.repeat(1 + length - text.length));
}
