const LEVELS: Readonly<Record<number, string>> = { 20: 'debug: ', 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

interface LoggedLine {
  readonly level: number;
  /** Milliseconds since 1970. */
  readonly time: number;
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
  const stack = level >= 50 && err?.stack !== undefined ? `\n${err.stack}` : '';
  return `${clock}  ${LEVELS[level] ?? ''}${what}${stack}`;
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
