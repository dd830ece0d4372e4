import type { Knex } from 'knex'

/** Loses the anchor of a passport's certificate, as when the chain takes it back. */
export async function loseAnchor(db: Knex, passport: string): Promise<void> {
  await db.raw(
    `update anchors set status = 'failed' from passports p join passport_credentials c on c.id = p.credential
     where p.id = ? and anchors.id = c.anchor`,
    [passport],
  )
}

/** Counts the certificates that were sent to the chain behind the rotation of the key that signed them. */
export async function countAnchoredAfterRotation(db: Knex, organization: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int from passport_credentials c join certification_keys k on k.id = c.key
       join anchors a on a.id = c.anchor join chain_operations o on o.id = 'anchor:' || a.id
     where c.organization = ? and exists (select from chain_operations r where r.organization = c.organization
       and r.kind = 'rotateKey' and r.content ->> 'previous' = '0x' || encode(k.public_key, 'hex') and r.seq < o.seq)`,
    [organization],
  )
  return rows[0].count
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
