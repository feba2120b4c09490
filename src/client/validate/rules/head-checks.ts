import type { Document } from '../../read/document.ts';
import { instantOf } from './times.ts';

/** Checks that a document has its time. Its link with rel `up` is for rule 30. */
export function lacksTime(document: Document, time: 'at' | 'from'): readonly string[] {
  return document.md[time] === undefined ? [`it has no ${time}`] : [];
}

/** Checks that the times of a document do not contradict each other. */
export function endsBeforeItBegins({ md }: Document): readonly string[] {
  return [
    ...(instantOf(md.until) < instantOf(md.from) ? [`until ${md.until} is before from ${md.from}`] : []),
    ...(instantOf(md.completed) < instantOf(md.at) ? [`completed ${md.completed} is before at ${md.at}`] : []),
  ];
}

/** Checks that an entry of a change says what changed, and how. */
export function lacksChange(loc: string, change: string | undefined): readonly string[] {
  if (loc === '') return ['the entry has no loc'];
  if (change === undefined) return ['the entry has no change'];
  return CHANGES.has(change) ? [] : [`the entry has the change ${change}: expected created, updated or deleted`];
}

const CHANGES = new Set(['created', 'updated', 'deleted']);
