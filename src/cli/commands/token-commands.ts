import { InvalidArgumentError } from 'commander';
import { parseExpiry } from '../../access/expiry.ts';
import { parseScope, requireNamed, SCOPE_FORMS, type Scope } from '../../access/scope.ts';
import type { TokenLimits } from '../../access/token.ts';
import { idOfNamed } from '../../access/token.ts';
import { tokenView } from '../../api/token-view.ts';
import { countOrUnlimited, sizeOrUnlimited } from '../../config/setting-values.ts';
import { TidemarkError } from '../../core/errors.ts';
import { formatAgo } from '../../lib/format-ago.ts';
import type { CliCommand } from '../cli-command.ts';
import { formatTable } from '../ui/table.ts';
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

export const tokensList: CliCommand = {
  group: 'tokens',
  usage: 'list',
  summary: 'Lists the tokens that were made, oldest first, without their secrets: those are not stored.',
  examples: [['tokens list', 'lists them with their scopes']],

  async run(call) {
    const [records, uses] = await withExistingApp(call, ({ access: { tokens, uses } }) =>
      Promise.all([tokens.list(), uses.list()]),
    );
    const now = Date.now();
    const tokens = records.map((record) => tokenView(record, now, uses.get(record.id)));
    const rows = tokens.map(({ id, name, scopes, state, created, expires = '(never)', lastUse }) => {
      const used =
        lastUse === undefined ? '(never)' : `${formatAgo(Date.parse(lastUse.at), now)} from ${lastUse.address}`;
      return [id, name, state, scopes.join(' '), created.slice(0, 10), expires.slice(0, 16), used];
    });
    const table = formatTable(['ID', 'NAME', 'STATE', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no token.' : table, { tokens });
  },
};

export const tokensRevoke: CliCommand = {
  group: 'tokens',
  usage: 'revoke <id>',
  summary: 'Revokes a token, for ever. Every server refuses it within a second or so.',
  examples: [['tokens revoke 5e1f1e55c0de', 'makes it worthless at once']],

  async run(call) {
    const id = idOf(call.args[0]!);
    const view = tokenView(await withExistingApp(call, ({ access: { tokens } }) => tokens.revoke(id)), Date.now());
    await call.terminal.print(`Revoked the token "${view.name}" (id ${view.id}).`, view);
  },
};

/** No message repeats what may be a secret. */
function idOf(given: string): string {
  const id = idOfNamed(given);
  if (id !== undefined) return id;
  throw new TidemarkError(
    'invalid',
    'name a token by its id, of 12 digits and letters: "tidemark tokens list" shows it',
  );
}
