import createClient, { type Client as OpenapiClient } from 'openapi-fetch'
import type { paths } from 'tessera-document'

/** A client whose calls are typed by the document. */
export type Client = OpenapiClient<paths>

/** Where calls go, and what a caller has to know that no answer tells. */
export interface Stage {
  baseUrl: string
  /** A key that may do all. */
  key: string
  organization: string
  application: string
  /** A member who owns the organization. */
  owner: string
  /** An e-mail address that nobody has. */
  newEmail(): string
  /** The code that was sent to an address last. */
  codeFor(email: string): Promise<string>
  /** A domain that nobody has named. */
  newDomain(): string
  /** Publishes a record of DNS. */
  publish(record: { name: string; value: string }): void
  /** A GTIN that nobody has. */
  newGtin(): string
  /** A restaurant that is bound to a POS, and an address of the API that may call that POS. */
  pos: { baseUrl: string; integrationId: string; restaurantId: string; customerId: string; paidOrder: string }
  /** Signs a body as the POS does. */
  sign(body: string): string
  /** A GTIN under which another organization published something. */
  takenGtin: string
  /** Takes note of every answer, by method and path as the document has them. */
  recordAnswer(call: string, status: number): void
}

/** Creates a client as the documentation of openapi-fetch does, with nothing of its own about filters or bodies. */
export function createTypedClient({ baseUrl, recordAnswer }: Stage, headers: Record<string, string>): Client {
  const client = createClient<paths>({ baseUrl, headers })
  client.use({
    onResponse({ request, schemaPath, response }) {
      recordAnswer(`${request.method} ${schemaPath}`, response.status)
    },
  })
  return client
}

interface CallResult<T> { data?: T; error?: unknown; response: Response }

/** Returns the data of a call. @throws Error with the problem of one that was refused */
export async function unwrap<T>(call: Promise<CallResult<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (error !== undefined || !response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`)
  return data as NonNullable<T>
}

/** Waits until a job has ended, with which its stream ends, and reads it. */
export async function waitForJob(client: Client, jobId: string) {
  const path = { jobId }
  await unwrap(client.GET('/v1/jobs/{jobId}/sse', { params: { path }, parseAs: 'text', headers: { Accept: 'text/event-stream' } }))
  return unwrap(client.GET('/v1/jobs/{jobId}', { params: { path } }))
}

/** Writes filters or sorters as the types of the document have them: one JSON text. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** Throws an error unless the condition holds. */
export function assertThat(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Expected that ${what}`)
}
