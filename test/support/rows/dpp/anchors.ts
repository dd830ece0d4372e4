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
