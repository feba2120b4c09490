import type { Agent } from 'node:http';
import type { AgentOptions, Agent as SecureAgent } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface GuardedAgents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

/**
 * Agents for requests to addresses that come from outside. They check each address when they connect, after the name
 * was resolved, so that neither a redirect nor a changed DNS response leads to a private network.
 * @param privateNetworks the private networks that are allowed, as addresses or in CIDR notation. Loopback addresses
 * count as private
 */
export function guardedAgents(privateNetworks: readonly string[] | 'all', options: AgentOptions): GuardedAgents {
  const filter =
    privateNetworks === 'all'
      ? { ...options, allowPrivateIPAddress: true, allowMetaIPAddress: true }
      : { ...options, allowIPAddressList: [...privateNetworks] };
  return { http: new RequestFilteringHttpAgent(filter), https: new RequestFilteringHttpsAgent(filter) };
}
