import { InvalidArgumentError } from 'commander';
import { parseExpiry } from '../../access/expiry.ts';
import { parseScope, requireNamed, SCOPE_FORMS, type Scope } from '../../access/scope.ts';
import type { TokenLimits } from '../../access/token.ts';
import { tokenView } from '../../api/token-views.ts';
import { countOrUnlimited, sizeOrUnlimited } from '../../config/setting-values.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly name: string;
  readonly scope: readonly Scope[];
  readonly expires?: number;
  readonly requestsPerMinute?: number;
  readonly bodyPerMinute?: number;
}

export const tokensCreate: CliCommand<Options> = {
  group: 'tokens',
  usage: 'create',
  summary: 'Makes a token, and prints it on standard output: it is kept nowhere, and never shown again.',
  examples: [
    ["tokens create --name 'the catalogue' --scope post:papers", 'for a program that posts changes of one set'],
  ],

  options(command) {
    command
      .requiredOption('--name <name>', 'what people call it, such as who uses it')
      .requiredOption(
        '--scope <scope>',
        `what it lets its bearer do: ${SCOPE_FORMS}; may be given several times`,
        scope,
      )
      .option(
        '--expires <time>',
        'when it expires: 90d, 12h or 1y, or a date such as 2027-01-31 (default: never)',
        expiry,
      )
      .option(
        '--requests-per-minute <number>',
        'most requests in a minute, or unlimited (default: as the server is set)',
        limit(countOrUnlimited),
      )
      .option(
        '--body-per-minute <size>',
        'most bytes of request bodies in a minute, 1mb or more, or unlimited (default: as the server is set)',
        limit(sizeOrUnlimited),
      );
  },

  async run(call) {
    const { name, scope: scopes, expires } = call.options;
    const { made, isFirst } = await withExistingApp(
      call,
      async ({ access: { tokens }, sets, records: { organizations } }) => {
        await requireNamed(scopes, { sets, organizations });
        const isFirst = !(await tokens.areKept());
        return { made: await tokens.create({ name, scopes, expires, limits: limitsOf(call.options) }), isFirst };
      },
    );
    const view = tokenView(made.record, Date.now());
    call.terminal.say(`Made the token "${view.name}" (id ${view.id}) for ${scopes.join(', ')}; ${until(view)}.`);
    call.terminal.say('Keep it safe: it is shown only now. Revoke it with "tidemark tokens revoke ID".');
    if (isFirst) {
      call.terminal.say(
        'It is the first token: from now on, posting and administering need a token on servers with a local address, too.',
      );
      if (!scopes.includes('administer')) {
        call.terminal.say(
          'It does not let you administer them: make one that does with "tidemark tokens create --name NAME --scope administer".',
        );
      }
    }
    await call.terminal.print(made.token, { ...view, token: made.token });
    return EXIT.done;
  },
};

function limitsOf({ requestsPerMinute, bodyPerMinute }: Options): TokenLimits {
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: orNone(requestsPerMinute) }),
    ...(bodyPerMinute !== undefined && { bodyBytesPerMinute: orNone(bodyPerMinute) }),
  };
}

function orNone(limit: number): number | null {
  return limit === Number.POSITIVE_INFINITY ? null : limit;
}

function until({ expires }: { readonly expires?: string | undefined }): string {
  return expires === undefined ? 'it never expires' : `it expires at ${expires}`;
}

function scope(text: string, before: readonly Scope[] = []): readonly Scope[] {
  return [...before, orUsageError(() => parseScope(text))];
}

function expiry(text: string): number {
  return orUsageError(() => parseExpiry(text, Date.now()));
}

function limit(schema: typeof countOrUnlimited): (text: string) => number {
  return (text) => {
    const { success, data, error } = schema.safeParse(text);
    if (success) return data;
    throw new InvalidArgumentError(`${error.issues[0]!.message}.`);
  };
}

/** Commander prints the message of this error after the name of the option. */
function orUsageError<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}
