import type { Knex } from 'knex'

/** Loses the anchor of a passport's certificate, as when the chain takes it back. */
export async function loseAnchor(db: Knex, passport: string): Promise<void> {
  await db.raw(
    `update anchors set status = 'failed' from passports p join passport_credentials c on c.id = p.credential
     where p.id = ? and anchors.id = c.anchor`,
    [passport],
  )
}
