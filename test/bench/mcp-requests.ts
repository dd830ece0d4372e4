import { startBareSession, defaultHeaders } from '../support/bridge/bridge-client.ts'
import { createModernRequest } from '../support/bridge/modern-client.ts'
import type { HttpRequest } from './load.ts'

/** The number of ids; more than there are open requests at any time, because their ids must differ. */
const idCount = 1_000

/** A method and its parameters, which may differ between requests. */
export interface McpCall {
  method: string
  params: (id: number) => Record<string, unknown>
  /** The query that is appended to the address of the endpoint. */
  query?: string
}

type Credential = Record<string, string>

const createRequests = (requestOf: (id: number) => HttpRequest) =>
  Array.from({ length: idCount }, (_, id) => requestOf(id))

/**
 * Creates requests of one session, each with an id of its own.
 * @param url the server without the path of the endpoint
 */
export async function createSessionRequests(
  url: string,
  credential: Credential,
): Promise<(asking: McpCall) => HttpRequest[]> {
  const { headers } = await startBareSession(`${url}/mcp`, '2025-06-18', credential)
  return ({ method, params, query = '' }) =>
    createRequests((id) => ({
      method: 'POST',
      path: `/mcp${query}`,
      headers: { ...defaultHeaders, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: params(id) }),
    }))
}

/** Creates requests of revision 2026-07-28, which describe themselves. */
export const createModernRequests =
  (credential: Credential) =>
  ({ method, params, query = '' }: McpCall): HttpRequest[] =>
    createRequests((id) => {
      const { headers, message } = createModernRequest(method, params(id), { id, headers: credential })
      return { method: 'POST', path: `/mcp${query}`, headers, body: JSON.stringify(message) }
    })
