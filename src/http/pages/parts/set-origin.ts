import { formatRecordsSource, type Origin, traitsOf } from '../../../core/origin.ts';
import { type Html, html } from './html.ts';

/** What pages show of the origin of a set. */
interface ShownOrigin {
  /** A fact for administrators: its name, and the location of the source. */
  readonly fact?: readonly [name: string, value: string | undefined];
  /** A part of the line below the title, for everybody. */
  readonly subtitle?: Html | string | undefined;
  /** The location into which an administrator puts resources. */
  readonly place?: string;
  /** The changes of such a set, as the beginning of a sentence. Absent for a set that takes posts. */
  readonly changes?: string;
}

export function shownOrigin(origin: Origin): ShownOrigin {
  const files = 'Files that are added, edited or removed are';
  switch (origin.kind) {
    case 'posted':
      return {};
    case 'folder':
      return { fact: ['Root', origin.path], place: origin.path, changes: files };
    case 's3':
      return { fact: ['Root', origin.location], place: origin.location, changes: files };
    case 'artifact': {
      const records = formatRecordsSource(origin);
      return {
        fact: ['Records', records],
        subtitle: html`records of <code>${records}</code>`,
        place: records,
        changes: 'What differs in a newer artifact is',
      };
    }
    case 'resourcesync':
      return {
        fact: ['Copy of', origin.set],
        subtitle: html`a copy of <code>${origin.url}</code>`,
        changes: 'What changes at the source that it copies is',
      };
    case 'stream':
    case 'uploads':
    case 'dump-files': {
      const { source } = traitsOf(origin);
      return { fact: ['Has', source], subtitle: source, changes: `What changes of ${source} is` };
    }
  }
}
