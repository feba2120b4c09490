import { HttpError } from './http-error.ts';

type Label = 'stream' | 'name' | 'url' | 'full' | 'accept_drop';

/** The meaning of fields by name, including those of the POD aggregator. */
const FIELDS: Readonly<Record<string, Label>> = {
  stream: 'stream',
  name: 'name',
  url: 'url',
  full: 'full',
  accept_drop: 'accept_drop',
  'upload[name]': 'name',
  'upload[url]': 'url',
  'upload[full]': 'full',
  'upload[accept_drop]': 'accept_drop',
};
const FILES = /^(?:upload\[files\](?:\[\d*\])?|files(?:\[\])?)$/;

/** Gathers the fields of a form with files as they arrive. */
export class UploadFields {
  readonly labels: { [Name in Label]?: string };
  readonly #ignoresUnknown: boolean;

  /**
   * @param stream the stream in the query
   * @param ignoresUnknown whether unknown fields are ignored, as the POD aggregator does
   */
  constructor(stream: string | undefined, ignoresUnknown: boolean) {
    this.labels = stream === undefined ? {} : { stream };
    this.#ignoresUnknown = ignoresUnknown;
  }

  /** @throws HttpError for a field that is unknown, or given twice */
  add(name: string, value: string): void {
    const label = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (label !== undefined) this.#set(label, label === 'url' ? value.trim() : value);
    else if (FILES.test(name)) requireEmpty(value);
    else if (!this.#ignoresUnknown) throw unknownField(name);
  }

  #set(label: Label, value: string): void {
    if (value === '') return;
    const before = this.labels[label];
    if (before !== undefined && before !== value) throw twice(label);
    this.labels[label] = value;
  }
}

/** Web forms have an empty field beside the files; a non-empty one is a file without a name, and would be lost. */
function requireEmpty(value: string): void {
  if (value !== '') throw noFileName();
}

export function noFileName(): HttpError {
  const message = 'a file of the form has no name: send its filename (with curl: files=@FILE)';
  return new HttpError(400, { code: 'no-file-name', message, details: { field: 'files' } });
}

function unknownField(name: string): HttpError {
  const message = `the form has an unknown field ${JSON.stringify(name.slice(0, 80))}: use stream, name, url, full, accept_drop, and files, which have a filename`;
  return new HttpError(400, { code: 'unknown-field', message });
}

function twice(label: Label): HttpError {
  const message = `the ${label} is given twice, with different values`;
  return new HttpError(400, { code: 'repeated-field', message, details: { field: label } });
}
