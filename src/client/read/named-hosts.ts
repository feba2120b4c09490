import { isIPv6 } from 'node:net';

const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The hosts that the user has named: by the URL of the source, and by `--allow-host`. */
export class NamedHosts {
  readonly #source: URL;
  readonly #allowed: ReadonlySet<string>;

  constructor(source: string, allowed: readonly string[]) {
    this.#source = new URL(source);
    this.#allowed = new Set(allowed.map(asInUrl));
  }

  /** Whether the user has named the host: then its address may be in a private network. */
  isNamed({ hostname, port, protocol }: URL): boolean {
    const source = this.#source;
    // All names of this machine are one source.
    if (isLoopback(hostname) && isLoopback(source.hostname) && port === source.port) return true;
    const withPort = `${hostname}:${port || USUAL_PORTS[protocol]}`;
    return hostname === source.hostname || this.#allowed.has(hostname) || this.#allowed.has(withPort);
  }

  /** Whether the source's credentials may be sent to a URL: its own host and port, or its own host by https. */
  isSource({ hostname, host, protocol, port }: URL): boolean {
    const source = this.#source;
    if (host === source.host && protocol === source.protocol) return true;
    return hostname === source.hostname && source.protocol === 'http:' && protocol === 'https:' && port === '';
  }

  /** Why a redirect is refused; undefined when it may be followed. */
  redirectProblem(from: URL, to: URL): string | undefined {
    if (to.hostname === from.hostname || this.isNamed(to)) return undefined;
    return `it was redirected to the host ${to.host}: to follow it there, ${allow(to.host)}`;
  }

  /** How to let a host in a private network be requested, for the end of a message. */
  privateAdvice(host: string): string {
    return allow(host);
  }
}

/** Advice for the user, for the end of a message. */
const allow = (host: string): string => `use --allow-host ${host} (of a set: --from-allow-host)`;

/** A host, perhaps with a port, as URLs contain it: `[::1]` for `::1`, and the ASCII form of `bücher.example`. */
function asInUrl(host: string): string {
  const text = isIPv6(host) ? `[${host}]` : host;
  const [port = ''] = /:\d+$/.exec(text) ?? [];
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname + port : text;
}

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
