import type { Agent } from 'node:http';
import type { AgentOptions, Agent as SecureAgent } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface GuardedAgents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

/**
 * Agents for requests to addresses that strangers name. Each address is checked when it is connected to, after its name
 * was resolved, so that neither a redirect nor another answer of the DNS leads to a private network.
 * @param privateNetworks those that may be requested, as addresses or in the notation of CIDR; this machine is one
 */
export function guardedAgents(privateNetworks: readonly string[] | 'all', options: AgentOptions): GuardedAgents {
  const filter =
    privateNetworks === 'all'
      ? { ...options, allowPrivateIPAddress: true, allowMetaIPAddress: true }
      : { ...options, allowIPAddressList: [...privateNetworks] };
  return { http: new RequestFilteringHttpAgent(filter), https: new RequestFilteringHttpsAgent(filter) };
}
