import { hash } from 'node:crypto';

/** The id of a harvest: also a part of the names of files and jobs, so it has none of their separators. */
const UUID = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,99}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A uuid that depends on a text: the same harvest has the same one, also after its process was killed. */
export function uuidOfText(text: string): string {
  const digits = hash('sha256', text, 'hex');
  const [a, b, c, d] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16), digits.slice(17, 20)];
  return `${a}-${b}-8${c}-8${d}-${digits.slice(20, 32)}`;
}

/** The uuid in a text that may be no well-formed document, for the message about its failure. */
export function uuidIn(text: string): string | undefined {
  const [, uuid = ''] = /<(?:[\w.-]+:)?uuid>\s*([^<\s]+)\s*</.exec(text) ?? [];
  return isUuid(uuid) ? uuid : undefined;
}
