import type { Knex } from 'knex'
import { listClaimedPassports, type PassportStatus } from '../passports/index.ts'
import { findShownPictures } from '../pictures/index.ts'
import { readSheetsById } from '../sheets/index.ts'

/** A passport as its owner sees it among their own. */
export interface OwnedPassport {
  id: string
  title: string
  /** An https address. */
  image: string | null
  status: PassportStatus
  /** When it became theirs, RFC 3339. */
  mintedAt: string | null
}

/** Lists the passports that these accounts have claimed, the newest first. */
export async function listOwnedPassports(
  db: Knex,
  accounts: readonly string[],
  limit: number,
): Promise<OwnedPassport[]> {
  const rows = await listClaimedPassports(db, accounts, limit)
  const sheets = await readSheetsById(
    db,
    rows.flatMap(({ sheet }) => (sheet === null ? [] : [sheet])),
  )
  return rows.map((row) => {
    const sheet = row.sheet === null ? undefined : sheets.get(row.sheet)
    const product = row.product ?? {}
    return {
      id: row.id,
      title: sheet?.name ?? String(product['name'] ?? row.id),
      image: findShownPictures(row, sheet)[0]?.address ?? null,
      status: row.status,
      mintedAt: row.mintedAt,
    }
  })
}
