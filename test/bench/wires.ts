import { bareSession, usual } from '../support/bridge-client.ts'
import { modernRequest } from '../support/modern-client.ts'
import type { HttpRequest } from './load.ts'

/** More than are ever open at once: ids of open requests have to differ. */
const ids = 1_000

/** A method and its parameters; those of many requests may differ. */
export interface Asking {
  method: string
  params: (id: number) => Record<string, unknown>
  /** What is added to the address of the endpoint. */
  query?: string
}

type Credential = Record<string, string>

const each = (requestOf: (id: number) => HttpRequest) => Array.from({ length: ids }, (_, id) => requestOf(id))

/** Requests of one session, each with an id of its own. @param url of the server, without the path of the endpoint */
export async function inSession(url: string, credential: Credential): Promise<(asking: Asking) => HttpRequest[]> {
  const { headers } = await bareSession(`${url}/mcp`, '2025-06-18', credential)
  return ({ method, params, query = '' }) =>
    each((id) => ({
      method: 'POST',
      path: `/mcp${query}`,
      headers: { ...usual, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: params(id) }),
    }))
}

/** Requests of revision 2026-07-28, each of which says all about itself. */
export const onTheirOwn =
  (credential: Credential) =>
  ({ method, params, query = '' }: Asking): HttpRequest[] =>
    each((id) => {
      const { headers, message } = modernRequest(method, params(id), { id, headers: credential })
      return { method: 'POST', path: `/mcp${query}`, headers, body: JSON.stringify(message) }
    })
