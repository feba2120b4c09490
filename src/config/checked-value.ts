import { z } from 'zod';

/**
 * Thrown with the fault of a value and what to write instead, in words that follow the setting's name. `checked`
 * catches it.
 */
export class Wrong extends Error {}

/** The schema of a value that a function parses; the function throws `Wrong` for a wrong value. */
export function checked<Value>(parse: (value: unknown) => Value): z.ZodType<Value> {
  return z.unknown().transform((value, context) => {
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

/** A text or a number as text; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

/** Formats a value for a message; not for values that may contain a secret. */
export function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
