import { lookup as resolveName } from 'node:dns';
import type { Agent } from 'node:http';
import type { AgentOptions, Agent as SecureAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { PRIVATE_ADDRESS } from './failure.ts';
import { http } from './node-http.ts';
import { addressFilter } from './private-host.ts';

export interface GuardedAgents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

type IsAllowed = (address: string) => boolean;
type Connect = Agent['createConnection'];

/**
 * Agents for requests to addresses that come from outside. They check each address when they connect, after the name
 * was resolved, so that neither a redirect nor a changed DNS response leads to a private network.
 * @param privateNetworks the private networks that are allowed, as addresses or in CIDR notation. Loopback addresses
 * count as private
 */
export function guardedAgents(privateNetworks: readonly string[] | 'all', options: AgentOptions): GuardedAgents {
  const https = process.getBuiltinModule('node:https');
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  if (privateNetworks === 'all') return agents;
  const isAllowed = addressFilter(privateNetworks);
  for (const agent of Object.values(agents)) {
    agent.createConnection = guarded(agent.createConnection.bind(agent), isAllowed, options.lookup ?? resolveName);
  }
  return agents;
}

function guarded(connect: Connect, isAllowed: IsAllowed, lookup: LookupFunction): Connect {
  return (options, callback) => {
    const { host } = options;
    // Addresses are not looked up.
    if (typeof host !== 'string' || isIP(host) === 0 || isAllowed(host))
      return connect({ ...options, lookup: guardedLookup(lookup, isAllowed) }, callback);
    callback!(refused(host), undefined as never);
    return undefined;
  };
}

/** Finds the addresses of a name that are allowed. */
function guardedLookup(lookup: LookupFunction, isAllowed: IsAllowed): LookupFunction {
  return (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [{ address: found, family: family! }] : (found ?? []);
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      if (error !== null || addresses.length === 0) callback(error, found, family);
      else if (allowed.length === 0) callback(refused(name), '');
      else if (typeof found === 'string') callback(null, found, family);
      else callback(null, allowed);
    });
}

const refused = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} is in a private network`), { code: PRIVATE_ADDRESS });
