import type { CallResult, Client } from 'tessera-client'

/**
 * Every operation of the document, called by two generated clients. The calls are written once, in this folder, as
 * openapi-fetch writes them: a method, a path, and what goes into path, query, header and body. They import the types
 * of a client as `tessera-client`, and the test compiles them once against each client: the folder `openapi-fetch`
 * holds them to the types that openapi-typescript wrote, the folder `oazapfts` to the parameters and answers of the
 * functions that oazapfts wrote. So a call stands here only if both generators' own types accept it.
 */

/** Where calls go, and what a caller has to know that no answer tells. */
export interface Stage {
  /** Creates a client that sends these headers. @param baseUrl of another API than that of the stage */
  createClient(headers: Record<string, string>, baseUrl?: string): Client
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
  /** The token in the link of the offer that was sent to an address last. */
  offerTokenFor(email: string): Promise<string>
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
}

/** Returns the data of a call. @throws Error with the problem of one that was refused */
export async function unwrap<T>(call: Promise<CallResult<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (error !== undefined || !response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`)
  return data as NonNullable<T>
}

/** What a call says in order to be answered with a stream of events, which is read as one text when it has ended. */
export const asStream = { parseAs: 'text', headers: { Accept: 'text/event-stream' } } as const

/** Waits until a job has ended, with which its stream ends, and reads it. */
export async function waitForJob(client: Client, jobId: string) {
  const path = { jobId }
  await unwrap(client.GET('/v1/jobs/{jobId}/sse', { params: { path }, ...asStream }))
  return unwrap(client.GET('/v1/jobs/{jobId}', { params: { path } }))
}

/** Waits until an import has ended. @throws Error unless so many rows were imported */
export async function waitForImport(client: Client, id: string, rows: number): Promise<void> {
  await waitForJob(client, id)
  const { completed } = await unwrap(client.GET('/v1/imports/{id}', { params: { path: { id } } }))
  assertThat(completed === rows, `${rows} rows of ${id} are imported`)
}

/** Throws an error unless the condition holds. */
export function assertThat(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Expected that ${what}`)
}
