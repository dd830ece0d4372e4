import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { contentFaults, issueCredentials, keptProtectedTerms } from '../certification/index.ts'
import { contentsOf, lockedRows, type Certifying } from './certify.chunk.ts'
import { carryStatus } from './status.rows.ts'

interface Stale { id: string; passport: string }

/**
 * Signs again, with the active key, the next certificates of a job that another key signed and that no root has yet: a
 * key that was rotated or revoked on the way proves nothing that is anchored after that. As the passports are now; one
 * that has nothing to certify any more loses its version. @returns how many there were
 */
export async function signAgain(
  trx: Knex, context: Context, { job, organization }: Certifying, most: number,
): Promise<number> {
  const { rows: stale } = await trx.raw<{ rows: Stale[] }>(
    `select id, passport from passport_credentials where job = ? and anchor is null and key is not null and key not in (
       select id from certification_keys where organization = ? and status = 'active')
     order by passport limit ?`, [job, organization, most])
  if (stale.length === 0) return 0
  const rows = await lockedRows(trx, organization, stale.map(({ passport }) => passport))
  const contentOf = await contentsOf(trx, rows.values())
  const refused = await keptProtectedTerms(trx)
  const subjects = [...rows.values()].flatMap((row) => {
    const content = contentOf(row)
    return content && contentFaults(content, refused).length === 0 ? [{ passport: row.id, content }] : []
  })
  const issued = await issueCredentials(trx, context, organization, subjects)
  await carryStatus(trx, issued)
  await trx.raw(
    `update passport_credentials c set key = again.key, valid_from = again.valid_from, content_hash = again.hash,
       status_pair = again.pair, status_index = again.place, ld = again.ld, jwt = again.jwt, cid = again.cid, rdfc = null
     from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::text[], ?::uuid[], ?::int[], ?::bytea[], ?::bytea[], ?::text[])
       as again (passport, key, valid_from, hash, pair, place, ld, jwt, cid)
     where c.job = ? and c.passport = again.passport`,
    [
      issued.map(({ passport }) => passport), issued.map(({ key }) => key), issued.map(({ validFrom }) => validFrom),
      issued.map(({ contentHash }) => contentHash), issued.map(({ statusPair }) => statusPair),
      issued.map(({ statusIndex }) => statusIndex), issued.map(({ ld }) => ld), issued.map(({ jwt }) => jwt),
      issued.map(({ cid }) => cid), job,
    ] as Knex.RawBinding[])
  const signed = new Set(issued.map(({ passport }) => passport))
  const gone = stale.filter(({ passport }) => !signed.has(passport)).map(({ id }) => id)
  if (gone.length > 0) await trx.raw('delete from passport_credentials where id = any(?::uuid[])', [gone])
  return stale.length
}
