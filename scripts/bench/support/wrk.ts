import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runChild } from './child.ts';

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface Rates {
  readonly requests: number;
  /** Heads included. */
  readonly bytes: number;
}

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** @throws Error that says how to get wrk */
export function requireWrk(): void {
  if (spawnSync('wrk', ['-v']).error) throw new Error('this needs wrk: "apt-get install wrk"');
}

/**
 * What a server answers in a second.
 * @param script where the script for wrk may be written
 * @throws Error when not all answers are 2xx or 3xx
 */
export async function measure(url: string, load: Load, script: string): Promise<Rates> {
  const { connections, seconds, paths, headers } = load;
  const options = ['-t', String(availableParallelism()), '-c', String(connections), '-d', `${seconds}s`];
  for (const [name, value] of Object.entries(headers)) options.push('-H', `${name}: ${value}`);
  if (paths.length > 1) {
    writeFileSync(script, requestAlternately(paths));
    options.push('-s', script);
  }
  const { stdout } = await runChild('wrk', [...options, url + paths[0]]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not all was answered: ${stdout}`);
  const [, requests] = /Requests\/sec: +([\d.]+)/.exec(stdout) ?? [];
  const [, bytes, unit = ''] = /Transfer\/sec: +([\d.]+)([KMG]?B)/.exec(stdout) ?? [];
  return { requests: Number(requests), bytes: Number(bytes) * UNITS[unit]! };
}

/** Requests are made once, so that the script costs wrk nearly nothing. */
function requestAlternately(paths: readonly string[]): string {
  return `
    local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
    local requests, at = {}, 0
    function init(args) for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path) end end
    function request() at = at % #requests + 1; return requests[at] end`;
}
