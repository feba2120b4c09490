import type { ChangeEvent } from '../../core/change.ts';
import { isRejection } from '../posted-event.ts';
import type { Rejection } from '../rejection.ts';

type Event = Readonly<Record<string, unknown>>;
type Parse = (event: Event) => ChangeEvent | Rejection;

interface LenientEvent {
  /** A rejection, if a required field is wrong. */
  readonly event: ChangeEvent | Rejection;
  /** The problems of the fields that were left out. */
  readonly leftOut: readonly Rejection[];
}

/** The optional fields of an event, and of a link. */
const OPTIONAL = /^(?:length|md5|hash|mime|lastmod|ln|order)\b/;
const OF_LINK = /^ln\[(\d+)\](?:\.(?!rel|href)(\w+))?/;

/** Reads an event. Leaves out wrong optional fields; for a link with a wrong required field, the link. */
export function parseLeniently(event: Event, parse: Parse): LenientEvent {
  const leftOut: Rejection[] = [];
  let rest = event;
  // The original numbers of the remaining links.
  let links = Array.isArray(event.ln) ? [...event.ln.keys()] : [];
  for (;;) {
    const parsed = parse(rest);
    // Leaving out such a location would hide that an option is needed.
    if (!isRejection(parsed) || parsed.code === 'no-root') return { event: parsed, leftOut };
    const { field } = parsed;
    if (field === undefined || !OPTIONAL.test(field)) return { event: parsed, leftOut };
    const [, at, part] = OF_LINK.exec(field) ?? [];
    if (at === undefined) {
      leftOut.push(parsed);
      rest = without(rest, field.replace(/\[.*/, ''));
      continue;
    }
    leftOut.push(renumbered(parsed, { from: at, to: links[Number(at)]! }));
    const given = rest.ln as readonly Event[];
    // A missing field cannot be left out, so the link is.
    const wrongPart = part !== undefined && given[Number(at)]![part] !== undefined ? part : undefined;
    rest = { ...rest, ln: linksWithout(given, Number(at), wrongPart) };
    if (wrongPart === undefined) links = links.toSpliced(Number(at), 1);
  }
}

function without(event: Event, field: string): Event {
  const { [field]: _, ...rest } = event;
  return rest;
}

/** @param part the field of the link to leave out; undefined for the link itself */
function linksWithout(links: readonly Event[], at: number, part: string | undefined): readonly Event[] | undefined {
  const rest = part === undefined ? links.toSpliced(at, 1) : links.with(at, without(links[at]!, part));
  return rest.length === 0 ? undefined : rest;
}

function renumbered(
  { message, field, ...rejection }: Rejection,
  { from, to }: { from: string; to: number },
): Rejection {
  const renumber = (text: string) => text.replace(`ln[${from}]`, `ln[${to}]`);
  return { ...rejection, message: renumber(message), ...(field !== undefined && { field: renumber(field) }) };
}
