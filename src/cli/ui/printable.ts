// Control characters that a terminal executes (all but tab and line feed), and characters that change the writing
// direction.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes control characters visible, so that a terminal does not execute them: file names and messages of servers may
 * contain anything. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, visible);
}

/** The same for one line: line feeds and tabs are made visible, too. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function visible(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code}`;
}
