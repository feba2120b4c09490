import type * as z from 'zod';

/** What is added to each record of an organization when it is read. Its kind knows what else it has. */
export interface Normalization {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** A kind of normalization, which belongs to a form. Values that it is given are of this kind. */
export interface NormalizationKind {
  /** As the API and the documents of organizations name it. */
  readonly kind: string;
  /** For users: its name, what it does, and what it is. */
  readonly title: string;
  readonly effect: string;
  readonly what: string;
  /** What people enter: options of the command line, and fields of a form. */
  readonly fields: readonly NormalizationField[];

  /** @throws TidemarkError `invalid` */
  checked(normalization: Normalization): Normalization;
  /** Of what was entered, by the names of fields. @throws TidemarkError `invalid` */
  parse(entered: EnteredFields): Normalization;
  /** What `parse` makes the same of. */
  format(normalization: Normalization): EnteredFields;
  /** Lines for people. */
  describe(normalization: Normalization): readonly string[];
  /** Its JSON in the API. It is given zod, which threads that read files do not load. */
  schema(zod: typeof z): z.ZodType<Normalization>;
}

type EnteredFields = Readonly<Record<string, readonly string[]>>;

export interface NormalizationField {
  /** The name of the option and of the field of the form. */
  readonly name: string;
  /** For the command line. */
  readonly value: string;
  readonly help: string;
  /** For the form. */
  readonly label: string;
  readonly hint: string;
  /** Most characters of the only value; absent: any number of values, each in a line. */
  readonly most?: number;
  /** Checks one of several values. @throws Error */
  check?(text: string): void;
}
