import type { DirectDatabase, Statement } from '../../database/connection.ts'
import { newId } from '../../database/model.ts'
import type { OrganizationErasure } from '../area.ts'
import { maxRequestsPerOrganization, type RequestEntry } from './requests.buffer.ts'

/**
 * The statement that adds entries of all organizations, and removes the oldest ones of some. What it adds it does not
 * see, so `kept` is the number of older rows that stay. It does not wait for the disk: after a crash of the database the
 * last entries may be missing. Rows that another process is removing are left to it.
 */
const addRequests: Statement = {
  name: 'request_log_add',
  text: `
    with added as (
      insert into request_log (organization, id, at, operation, status, code, ms, request_id, kind, credential)
      select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::int[], $6::text[], $7::int[],
        $8::text[], $9::text[], $10::uuid[])
      where (select set_config('synchronous_commit', 'off', true)) = 'off'
    )
    delete from request_log where ctid = any(array(
      select r.ctid
      from unnest($11::uuid[], $12::int[]) as trimmed (organization, kept)
      cross join lateral (
        select k.id from request_log k where k.organization = trimmed.organization
        order by k.id desc offset trimmed.kept limit 1
      ) as newest_removed
      join request_log r on r.organization = trimmed.organization and r.id <= newest_removed.id
      for update of r skip locked))`,
}

/**
 * Writes entries of any organizations with one statement.
 * @param trimmed the organizations of which only the newest thousand stay
 */
export async function storeRequests(
  direct: DirectDatabase,
  entries: readonly RequestEntry[],
  trimmed: readonly string[],
): Promise<void> {
  const added = countByOrganization(entries)
  await direct.queryRows(addRequests, [
    entries.map(({ organization }) => organization),
    entries.map(() => newId()),
    entries.map(({ atMs }) => new Date(atMs).toISOString()),
    entries.map(({ operation }) => operation),
    entries.map(({ status }) => status),
    entries.map(({ code }) => code),
    entries.map(({ ms }) => ms),
    entries.map(({ requestId }) => requestId),
    entries.map(({ kind }) => kind),
    entries.map(({ credential }) => credential),
    trimmed,
    trimmed.map((organization) => Math.max(0, maxRequestsPerOrganization - (added.get(organization) ?? 0))),
  ])
}

/** Counts the entries of each organization. */
export function countByOrganization(entries: readonly RequestEntry[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { organization } of entries) counts.set(organization, (counts.get(organization) ?? 0) + 1)
  return counts
}

/** Removes the log of a deleted organization: its entries name the credentials of persons. */
export const eraseRequests: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const own = () => trx('request_log').where({ organization })
    return own().whereIn('id', own().limit(limit).select('id')).delete()
  })
