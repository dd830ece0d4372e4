import type { Knex } from 'knex'
import { readCredentialLabels } from '../identity/index.ts'
import { maxRequestsPerOrganization, type RequestEntry } from './requests.buffer.ts'

/** The number of days for which requests are kept. */
export const requestDays = 30

/** A request as the organization that sent it sees it. */
export interface LoggedRequest extends Omit<RequestEntry, 'organization' | 'atMs'> {
  id: string
  /** When it began, RFC 3339. */
  at: string
  /** What the key or the member is called; null if it is not there any more. */
  label: string | null
}

/** Which requests to list: all, or those that fit every member. */
export interface RequestFilters {
  /** Only those that were answered with an error, 4xx or 5xx. */
  failed?: boolean
  operation?: string | undefined
  /** The key, or the user of the member. */
  credential?: string | undefined
}

/** A credential that occurs in the list. */
interface RequestCredential {
  id: string
  label: string | null
}

/** A page of requests, with the values by which the list can be filtered. */
export interface RequestPage {
  requests: LoggedRequest[]
  /** The number of requests that fit the filters. */
  total: number
  /** The request after which the next page begins; null on the last page. */
  next: string | null
  operations: string[]
  credentials: RequestCredential[]
}

type RequestRow = Omit<LoggedRequest, 'at' | 'label'> & { at: Date }
interface Facets {
  total: number
  operations: string[] | null
  credentials: string[] | null
}

/** The requests that count: the newest thousand of the last days, even if older ones have not been removed yet. */
const newestSql = `with newest as materialized (
  select * from request_log where organization = ? and at > now() - interval '${requestDays} days'
  order by id desc limit ${maxRequestsPerOrganization})`

const fitsSql = `(not ?::boolean or status >= 400) and (?::text is null or operation = ?::text)
  and (?::uuid is null or credential = ?::uuid)`

const bindFilters = ({ failed = false, operation = null, credential = null }: Nullable<RequestFilters>) => [
  failed,
  operation,
  operation,
  credential,
  credential,
]
type Nullable<T> = { [Name in keyof T]: T[Name] | null }

/**
 * Lists requests of an organization, the newest first.
 * @param after the request after which the page begins
 */
export async function listRequests(
  db: Knex,
  organization: string,
  filters: RequestFilters,
  { after = null, limit }: { after?: string | null; limit: number },
): Promise<RequestPage> {
  const fits = bindFilters(filters)
  const [{ rows }, facets] = await Promise.all([
    db.raw<{ rows: RequestRow[] }>(
      `${newestSql} select id, at, operation, status, code, ms, request_id as "requestId", kind, credential
       from newest where ${fitsSql} and (?::uuid is null or id < ?::uuid) order by id desc limit ?`,
      [organization, ...fits, after, after, limit + 1] as Knex.RawBinding[],
    ),
    readFacets(db, organization, fits),
  ])
  const { credentials } = facets
  const labels = await readCredentialLabels(db, organization, credentials)
  const getLabel = (id: string) => labels.get(id) ?? null
  const requests = rows
    .slice(0, limit)
    .map((row) => ({ ...row, at: row.at.toISOString(), label: getLabel(row.credential) }))
  return {
    ...facets,
    requests,
    next: rows.length > limit ? (requests.at(-1)?.id ?? null) : null,
    credentials: credentials.map((id) => ({ id, label: getLabel(id) })),
  }
}

async function readFacets(db: Knex, organization: string, fits: readonly unknown[]) {
  const { rows } = await db.raw<{ rows: Facets[] }>(
    `${newestSql} select (count(*) filter (where ${fitsSql}))::int as total,
       array_agg(distinct operation) as operations, array_agg(distinct credential) as credentials from newest`,
    [organization, ...fits] as Knex.RawBinding[],
  )
  const [{ total, operations, credentials } = { total: 0, operations: null, credentials: null }] = rows
  return { total, operations: operations ?? [], credentials: credentials ?? [] }
}
