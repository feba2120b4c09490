import type { FoundFile } from '../packages/found-file.ts';
import type { RecordForm } from './record-form.ts';
import { FORMS, formOf } from './record-forms.ts';

/** All records of one upload have one form, that of its first file with records: they are stored in one artifact. */
export class OneForm {
  readonly #formOf: typeof formOf;
  #form: RecordForm | undefined;

  /** @param forms for tests */
  constructor(forms = formOf) {
    this.#formOf = forms;
  }

  /** The media type of the records; undefined before there is a file with records. */
  get mime(): string | undefined {
    return this.#form?.records?.stored.mime;
  }

  /** The kind of files in which its records are sent; before there are any, that of lists of deletions. */
  get fileKind(): string {
    return this.#form?.fileKinds[0]?.name ?? 'deleted-ids';
  }

  /** Returns the file, as an unknown one when its records have another form. */
  admit(file: FoundFile): FoundFile {
    const form = this.#formOf(file.kind);
    if (form?.records === undefined) return file;
    this.#form ??= form;
    if (form === this.#form) return file;
    const reason = `it has records in ${form.title}, and a file before it has records in ${this.#form.title}`;
    return { ...file, kind: 'unknown', reason: `${reason}: send it as an upload of its own` };
  }

  /** Whether stored records of a media type have the form; the first ones decide. */
  admitStored(mime: string): boolean {
    this.#form ??= FORMS.find(({ records }) => records?.stored.mime === mime);
    return this.mime === mime;
  }
}
