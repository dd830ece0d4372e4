import { createHash, randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

const hashText = (text: string) => createHash('sha256').update(text).digest()

/** A picture of an organization as it stands in the database. */
export interface StoredPicture {
  failures: number
  failure: string | null
  bytes: number
  /** Seconds until it is fetched again; null if it is not to be. */
  waitSeconds: number | null
}

/** Reads what is known of a picture; undefined if it was never named. */
export async function readPicture(db: Knex, organization: string, address: string): Promise<StoredPicture | undefined> {
  return db('pictures')
    .where({ organization, address })
    .first<StoredPicture | undefined>(
      'failures',
      'failure',
      'bytes',
      db.raw('extract(epoch from next_fetch_at - now())::float8 as "waitSeconds"'),
    )
}

/** Reads the addresses of the pictures of an organization. */
export const listPictures = (db: Knex, organization: string): Promise<string[]> =>
  db('pictures').where({ organization }).orderBy('address').pluck<string[]>('address')

/** Makes a picture due now. */
export async function makePictureDue(db: Knex, organization: string, address: string): Promise<void> {
  await db('pictures').where({ organization, address }).update({ next_fetch_at: db.fn.now() })
}

/** Makes as if a picture had been named last so many days ago. */
export async function ageNaming(db: Knex, organization: string, address: string, days: number): Promise<void> {
  await db('pictures')
    .where({ organization, address })
    .update({ named_at: db.raw(`now() - make_interval(days => ?)`, [days]) })
}

/** Makes as if a picture took so many bytes of the share of its organization. */
export async function inflatePicture(db: Knex, organization: string, address: string, bytes: number): Promise<void> {
  await db('pictures').where({ organization, address }).update({ bytes })
}

/** Inserts so many pictures of an organization that nobody will fetch. */
export async function insertIdlePictures(db: Knex, organization: string, count: number): Promise<void> {
  await db.raw(
    `insert into pictures (id, organization, address, address_hash, next_fetch_at)
     select gen_random_uuid(), ?, 'https://idle.example/' || n, sha256(('https://idle.example/' || n)::bytea), null
     from generate_series(1, ?::int) n`,
    [organization, count],
  )
}

/** Deletes the pictures of an organization that nobody will fetch. */
export async function deleteIdlePictures(db: Knex, organization: string): Promise<void> {
  await db('pictures').where({ organization }).whereLike('address', 'https://idle.example/%').delete()
}

/** Stores pictures as if they had been fetched, each in one size of these bytes. @param size its width and height */
export async function insertHeldPictures(
  db: Knex,
  organization: string,
  addresses: readonly string[],
  body: Buffer,
  { width, height } = { width: 4, height: 3 },
): Promise<void> {
  for (const address of addresses)
    await insertFetchedPicture(db, organization, address, [{ width, height, hash: hashText(address), body }])
}

/** Stores a picture in its sizes as if it had been fetched. */
export async function insertFetchedPicture(
  db: Knex,
  organization: string,
  address: string,
  forms: readonly { width: number; height: number; hash: Buffer; body: Buffer }[],
): Promise<void> {
  const id = randomUUID()
  await db('pictures')
    .insert({
      id,
      organization,
      address,
      address_hash: hashText(address),
      bytes: forms.reduce((sum, { body }) => sum + body.length, 0),
      fetched_at: db.fn.now(),
      next_fetch_at: null,
    })
    .onConflict(['organization', 'address_hash'])
    .merge(['id', 'bytes', 'fetched_at', 'next_fetch_at'])
  await db('picture_forms').insert(forms.map((form) => ({ picture: id, ...form })))
}

/** Counts the cards that an organization keeps. */
export async function countCards(db: Knex, organization: string): Promise<number> {
  const [row] = await db('passport_cards').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
