import createClient, { type Client as OpenapiClient } from 'openapi-fetch'
import type { paths } from 'tessera-document'

/** A client whose calls are typed by the document. */
export interface Client extends OpenapiClient<paths> {
  /** Writes filters or sorters as the types of the document have them: one JSON text. */
  toQuery(list: readonly object[]): string
}

/** What a call of openapi-fetch answers. */
export interface CallResult<T> { data?: T; error?: unknown; response: Response }

/** Where calls go, and who takes note of every answer, by method and path as the document has them. */
interface Target { baseUrl: string; recordAnswer(call: string, status: number): void }

/** Creates a client as the documentation of openapi-fetch does, with nothing of its own about bodies or answers. */
export function createTypedClient({ baseUrl, recordAnswer }: Target, headers: Record<string, string>): Client {
  const client = createClient<paths>({ baseUrl, headers })
  client.use({
    onResponse({ request, schemaPath, response }) {
      recordAnswer(`${request.method} ${schemaPath}`, response.status)
    },
  })
  return Object.assign(client, { toQuery: (list: readonly object[]) => JSON.stringify(list) })
}
