import type { z } from 'zod';

/** The commands that take the flag of a setting besides those that name it. */
export type Taker = 'serve' | 'publish' | 'work';

/** Commands that start a server. */
export const SERVERS = ['serve', 'publish'] as const satisfies readonly Taker[];

/** Commands that run jobs. */
export const WORKERS = ['serve', 'publish', 'work'] as const satisfies readonly Taker[];

/** A setting. Its name is its key in tidemark.config.json. */
export interface Setting<Value = unknown> {
  readonly variable: `TIDEMARK_${string}`;
  /** In commander's syntax; a secret has none, because every user of a machine can read command lines. */
  readonly flag?: `--${string}`;
  /** Whether it is a secret, or may contain one: `fileVariable` then names a file that contains it. */
  readonly secret?: true;
  readonly takenBy?: readonly Taker[];
  readonly schema: z.ZodType<Value>;
  readonly meaning: string;
  /** As a user would write it; a text in parentheses when it depends on something. */
  readonly default: string;
  /** The value when none is given and the default is a text in parentheses; otherwise, that is undefined. */
  readonly absent?: Value;
  /** Its field in Configuration, where that is not its key. */
  readonly field?: string;
  /** Makes paths absolute: relative to the working directory, or to the folder of the configuration file. */
  readonly locate?: (value: Value, folder: string) => Value;
  /** For tests only: neither documented nor taken from the file. */
  readonly hidden?: true;
}

export function setting<Value, const Row extends Setting<Value>>(row: Row & Setting<Value>): Row {
  return row;
}

/** The variable that names a file with the value of a secret, as Docker and Kubernetes mount secrets. */
export function fileVariable({ variable, secret }: Pick<Setting, 'variable' | 'secret'>): string | undefined {
  return secret && `${variable}_FILE`;
}

/** The values of settings, each in its field. */
export type FieldsOf<Rows extends Readonly<Record<string, Pick<Setting, 'schema'>>>> = {
  readonly [Name in keyof Rows & string as FieldOf<Name, Rows[Name]>]:
    | z.output<Rows[Name]['schema']>
    | (Rows[Name] extends { readonly default: `(${string}` }
        ? Rows[Name] extends { readonly absent: unknown }
          ? never
          : undefined
        : never);
};

type FieldOf<Name, Row> = Row extends { readonly field: infer Field extends string } ? Field : Name;

/** The sentence after the meaning of a flag. `--no-jobs` has none: the default is that of the key, `jobs`. */
export function defaultOfFlag({ flag, default: byDefault }: Pick<Setting, 'flag' | 'default'>): string {
  return flag?.startsWith('--no-') ? '' : ` Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
}
