import * as z from 'zod';
import type { Stamp } from '../../core/stamp.ts';
import { codeOfProblem, parseDatetime } from '../../core/w3c-datetime.ts';

/** Kinds of query parameters. Their messages follow the parameter's name: "limit is a whole number from 1 to 1000". */

/** The number of items to return, from 1 to `most`. */
export function limit({ usual, most }: { readonly usual: number; readonly most: number }) {
  const message = `is a whole number from 1 to ${most}`;
  const description = 'The most entries of the answer.';
  return z
    .preprocess(wholeNumber, z.int(message).min(1, message).max(most, message).default(usual))
    .meta({ description, default: usual });
}

/** A time; converted to microseconds since 1970. */
export function time(description: string) {
  return z
    .string()
    .transform((text, context): Stamp => {
      // A plus sign that was not encoded arrives as a space.
      const time = parseDatetime(text.replace(' ', '+'));
      if (typeof time === 'number') return time;
      context.addIssue({
        code: 'custom',
        message: `is ${time}: write it as 2026-01-31T12:00:00Z`,
        params: { code: codeOfProblem(time) },
      });
      return z.NEVER;
    })
    .optional()
    .meta({ format: 'date-time', description, examples: ['2026-01-31T12:00:00Z'] });
}

export function text(description: string, example?: string) {
  return z
    .string()
    .optional()
    .meta({ description, ...(example !== undefined && { examples: [example] }) });
}

/** The stream of an organization; empty, as scripts send it, is the default one, too. */
export function streamParameter() {
  return z
    .string()
    .transform((text) => text || undefined)
    .optional()
    .meta({ description: 'The stream; the default one without it, or when it is empty.', examples: ['main'] });
}

/** One of several words; the first is the default. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words, description: string) {
  return z
    .enum(words, `is ${words.join(' or ')}`)
    .default(words[0] as never)
    .meta({ description });
}

function wholeNumber(text: unknown): unknown {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text;
}
