import type { Knex } from 'knex'

/** Loses the anchor of a passport's certificate, as when the chain takes it back. */
export async function loseAnchor(db: Knex, passport: string): Promise<void> {
  await db.raw(
    `update anchors set status = 'failed' from passports p join passport_credentials c on c.id = p.credential
     where p.id = ? and anchors.id = c.anchor`,
    [passport],
  )
}

export interface StoredAnchor {
  id: string
  root: string
}

/** Reads the anchor of the present certificate of a passport. */
export async function readAnchor(db: Knex, passport: string): Promise<StoredAnchor> {
  const row = await db('anchors as a')
    .join('passport_credentials as c', 'c.anchor', 'a.id')
    .join('passports as p', 'p.credential', 'c.id')
    .where('p.id', passport)
    .first<StoredAnchor | undefined>('a.id', 'a.root')
  if (!row) throw new Error(`The passport ${passport} has no anchor`)
  return row
}

/** Makes an anchor final with this root, which may be another one than that of its certificates. */
export async function settleAnchor(db: Knex, { id, root }: StoredAnchor): Promise<void> {
  await db('anchors').where({ id }).update({ status: 'final', root })
}
