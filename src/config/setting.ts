import type { z } from 'zod';

/** A setting. Its name is its key in tidemark.config.json. */
export interface Setting<Value = unknown> {
  readonly variable: `TIDEMARK_${string}`;
  /** In commander's syntax; a secret has none, because every user of a machine can read command lines. */
  readonly flag?: `--${string}`;
  readonly schema: z.ZodType<Value>;
  readonly meaning: string;
  /** As a user would write it; a text in parentheses when it depends on something. */
  readonly default: string;
  /** Makes paths absolute: relative to the working directory, or to the folder of the configuration file. */
  readonly locate?: (value: Value, folder: string) => Value;
  /** For tests only: neither documented nor taken from the file. */
  readonly hidden?: true;
}

export function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/** The sentence after the meaning of a flag. `--no-jobs` has none: the default is that of the key, `jobs`. */
export function defaultOfFlag({ flag, default: byDefault }: Pick<Setting, 'flag' | 'default'>): string {
  return flag?.startsWith('--no-') ? '' : ` Default: ${byDefault.replace(/^\(|\)$/g, '')}.`;
}
