import type { RequestHeaders } from '../../client/read/fetcher.ts';
import type { HostFile } from '../../config/dataset-values.ts';
import { TidemarkError } from '../../core/errors.ts';
import { readTokenFile } from '../../lib/http/given-file.ts';
import { isRefusedHost } from '../../lib/http/private-host.ts';

/** Tokens of platforms, each for one host. Their files are read for each request: an operator may replace them. */
export class PlatformTokens {
  readonly #files: ReadonlyMap<string, string>;
  readonly #networks: readonly string[];
  readonly #tokens = new Map<string, string>();

  constructor(files: readonly HostFile[], networks: readonly string[]) {
    this.#files = new Map(files.map(({ host, file }) => [host, file]));
    this.#networks = networks;
  }

  /** Reads the token for a URL. @throws TidemarkError `invalid`, with the file, when it cannot be read */
  async prepare({ host }: URL): Promise<void> {
    const file = this.#files.get(host);
    if (file === undefined) return;
    const token = await readTokenFile(file).catch((error: Error) => {
      throw new TidemarkError('invalid', `--platform-token of ${host} is wrong: ${error.message}`, { file }, error);
    });
    this.#tokens.set(host, token);
  }

  /**
   * The header with the token for a URL. A redirect of another host gets none, though it leads to this one: it could
   * make this program publish what only its operator may read.
   */
  headersFor(url: URL, isFromElsewhere: boolean): RequestHeaders {
    const token = this.#tokens.get(url.host);
    if (token === undefined || isFromElsewhere || !this.#isProtected(url)) return {};
    return { authorization: `Bearer ${token}` };
  }

  /** Whether no other machine can read what is sent. */
  #isProtected({ protocol, hostname }: URL): boolean {
    return protocol === 'https:' || (isRefusedHost(hostname, []) && !isRefusedHost(hostname, this.#networks));
  }
}
