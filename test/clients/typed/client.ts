import createClient, { type Client as ClientOf } from 'openapi-fetch'
import type { paths } from 'tessera-document'

/** A client whose calls are typed by the document. */
export type Client = ClientOf<paths>

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
  /** A GTIN under which another organization published something. */
  takenGtin: string
  /** Hears of every answer, by method and path as the document has them. */
  heard(call: string, status: number): void
}

/** A client as the makers of openapi-fetch tell to make one, with nothing of its own about filters or bodies. */
export function clientOf({ baseUrl, heard }: Stage, headers: Record<string, string>): Client {
  const client = createClient<paths>({ baseUrl, headers })
  client.use({
    onResponse({ request, schemaPath, response }) {
      heard(`${request.method} ${schemaPath}`, response.status)
    },
  })
  return client
}

interface Answered<T> { data?: T; error?: unknown; response: Response }

/** What a call answered. @throws Error with the problem of one that was refused */
export async function done<T>(call: Promise<Answered<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (error !== undefined || !response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`)
  return data as NonNullable<T>
}

/** The job once it has ended; its stream ends with it. */
export async function ended(client: Client, jobId: string) {
  const path = { jobId }
  await done(client.GET('/v1/jobs/{jobId}/sse', { params: { path }, parseAs: 'text', headers: { Accept: 'text/event-stream' } }))
  return done(client.GET('/v1/jobs/{jobId}', { params: { path } }))
}

/** Filters and sorters as the document's types have them: one JSON text. */
export const json = (value: unknown): string => JSON.stringify(value)

/** Throws unless it is so. */
export function holds(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Not so: ${what}`)
}
