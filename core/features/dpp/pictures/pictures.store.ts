import type { Knex } from 'knex'
import { deleteOrganizationRows } from '../../../database/delete-rows.ts'
import { lockByName } from '../../../database/lock.ts'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import type { OrganizationErasure } from '../../area.ts'
import { createPresentCondition } from '../../identity/index.ts'
import type { PictureForm, PictureFailure } from './pictures.types.ts'

/** The channel on which workers hear that a picture is due. */
export const picturesChannel = 'pictures'

/** The share of one organization: how many pictures it has at most, and how many bytes they have together. */
const maxPictures = 5_000
const maxBytes = 512 * 1024 * 1024

/** The days after which a picture that is still named is fetched again, because its brand may have changed it. */
const refreshDays = 7

/** The minutes from each failure to the next attempt; the last one counts for all that follow. */
const retryMinutes = [5, 30, 180, 720, 1_440, 4_320, 10_080] as const

/** The condition for a picture that was fetched long ago and is not due yet. */
const isStaleSql = `next_fetch_at is null and fetched_at < now() - interval '${refreshDays} days'`

/** The condition for a picture of which a naming changes something: its day, or that it is due again. */
const isOutdatedSql = `named_at < now() - interval '1 day' or ${isStaleSql}`

/**
 * Names pictures that people may see from now on: those that nobody has fetched yet are fetched soon, once for the
 * organization however many passports name them. An organization whose share is used up gets no further ones, and a
 * deleted one none. The addresses are sorted, so that two transactions that name the same ones never wait for each other.
 */
export async function namePictures(
  trx: Knex,
  { notices }: Pick<Context, 'notices'>,
  organization: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  const sorted = [...new Set(addresses)].sort()
  const { rows } = await trx.raw<{ rows: { due: boolean }[] }>(
    `with named as materialized (
       select id, address, sha256(convert_to(address, 'UTF8')) as hash
       from unnest(:ids::uuid[], :addresses::text[]) with ordinality as given (id, address, place) order by place
     ), added as (
       insert into pictures (id, organization, address, address_hash)
       select id, :organization, address, hash from named
       where ${createPresentCondition(':organization::uuid')} and not exists (
         select from pictures p where p.organization = :organization and p.address_hash = named.hash)
       limit greatest(0, ${maxPictures} - (select count(*) from pictures p where p.organization = :organization))
       on conflict (organization, address_hash) do nothing
       returning true as due
     ), renewed as (
       update pictures set named_at = now(), updated_at = now(),
         next_fetch_at = case when ${isStaleSql} then now() else next_fetch_at end
       where id = any(array(
         select p.id from pictures p join named on named.hash = p.address_hash
         where p.organization = :organization and (${isOutdatedSql}) for update of p skip locked))
       returning coalesce(next_fetch_at <= now(), false) as due
     )
     select due from added where due union all select due from renewed where due limit 1`,
    { ids: sorted.map(newId), addresses: sorted, organization },
  )
  if (rows.length > 0) await notices.notify(trx, picturesChannel, '')
}

/** A picture that a worker fetches. */
export interface DuePicture {
  id: string
  organization: string
  address: string
  sourceHash: Buffer | null
}

/**
 * Takes the next picture that is due, for a minute. @param maxOfOrganization how many of one organization are fetched at
 * the same time, so that hosts that never answer do not delay others
 */
export async function takeDuePicture(db: Knex, maxOfOrganization: number): Promise<DuePicture | undefined> {
  const { rows } = await db.raw<{ rows: DuePicture[] }>(
    `update pictures set fetching_until = now() + interval '1 minute' where id = (
       select d.id from pictures d
       where d.next_fetch_at <= now() and coalesce(d.fetching_until, '-infinity') <= now()
         and (select count(*) from pictures r where r.organization = d.organization and r.fetching_until > now()) < ?
       order by d.next_fetch_at limit 1 for update of d skip locked
     ) returning id, organization, address, source_hash as "sourceHash"`,
    [maxOfOrganization],
  )
  return rows[0]
}

/** Notes that a picture could not be fetched. What was fetched before stays; the next attempt is later each time. */
export async function noteFailure(db: Knex, id: string, failure: PictureFailure): Promise<void> {
  await db.raw(
    `update pictures set failures = failures + 1, failure = ?, fetching_until = null, updated_at = now(),
       next_fetch_at = now() + make_interval(mins => (?::int[])[least(failures + 1, ${retryMinutes.length})])
     where id = ?`,
    [failure, retryMinutes as unknown as Knex.RawBinding, id],
  )
}

const fetchedSql = `fetched_at = now(), next_fetch_at = null, fetching_until = null, failures = 0, failure = null,
  updated_at = now()`

/** Notes that a picture is as it was when it was fetched before. */
export async function noteUnchanged(db: Knex, id: string): Promise<void> {
  await db.raw(`update pictures set ${fetchedSql} where id = ?`, [id])
}

/**
 * Stores the sizes of a picture in place of those before, as long as they fit into the share of its organization.
 * @returns false if they do not
 */
export async function storeForms(
  db: Knex,
  { id, organization }: DuePicture,
  sourceHash: Buffer,
  forms: readonly PictureForm[],
): Promise<boolean> {
  const bytes = forms.reduce((sum, { body }) => sum + body.length, 0)
  return db.transaction(async (trx) => {
    await lockByName(trx, `pictures ${organization}`)
    const {
      rows: [used],
    } = await trx.raw<{ rows: { bytes: string }[] }>(
      'select coalesce(sum(bytes), 0) as bytes from pictures where organization = ? and id <> ?',
      [organization, id],
    )
    if (Number(used?.bytes) + bytes > maxBytes) return false
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update pictures set ${fetchedSql}, bytes = ?, source_hash = ? where id = ?`,
      [bytes, sourceHash, id],
    )
    // It was erased while it was fetched.
    if (rowCount === 0) return true
    await trx('picture_forms').where({ picture: id }).delete()
    await trx('picture_forms').insert(
      forms.map(({ width, height, hash, body }) => ({ picture: id, width, height, hash, body })),
    )
    return true
  })
}

/** Deletes the pictures of a deleted organization, with their sizes. */
export const erasePictures: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep((trx) => deleteOrganizationRows(trx, 'pictures', organization, limit))
