// Control characters but tabs and ends of lines, which a terminal obeys, and those that turn the direction of writing.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text that a terminal shows and does not obey: names of files and messages of servers may hold anything. Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED, visible);
}

/** The same in one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function visible(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code}`;
}
