const LEVELS: Readonly<Record<string, string>> = {
  debug: 'debug: ',
  warn: 'warning: ',
  error: 'error: ',
  fatal: 'error: ',
};

interface LoggedLine {
  readonly level: string;
  /** In ISO 8601. */
  readonly time: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

/** Formats a line of the log for users: `14:03:02  scanned /srv/maps  set=maps files=12`. */
export function textLine(json: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json) as LoggedLine;
  const clock = new Date(time).toLocaleTimeString('en-GB');
  const cause = err?.message === undefined || msg.includes(err.message) ? '' : `: ${err.message}`;
  const what = msg === 'request' ? describeRequest(fields) : `${msg}${cause}${describeFields(fields)}`;
  const stack = LEVELS[level] === 'error: ' && err?.stack !== undefined ? `\n${err.stack}` : '';
  const mark = msg === 'request' ? '' : (LEVELS[level] ?? '');
  return `${clock}  ${mark}${what}${stack}`;
}

/** Describes a line of the access log. */
function describeRequest({ method, path, status, bytes, ms, sender, aborted }: Readonly<Record<string, unknown>>) {
  const answer = aborted === true ? 'aborted' : status;
  return `${method} ${path}  ${answer}  ${bytes} B  ${ms} ms${sender === undefined ? '' : `  ${sender}`}`;
}

function describeFields(fields: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== 0 && value !== '' && value !== null);
  const texts = shown.map(([name, value]) => `${name}=${describeValue(value)}`);
  return texts.length === 0 ? '' : `  ${texts.join(' ')}`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value);
  // Three decimals suffice for users.
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toFixed(3))) : String(value);
}
