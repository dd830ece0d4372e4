import type { Knex } from 'knex'
import { listClaimedPassports, type PassportStatus } from '../passports/index.ts'
import { findShownPictures, readServedPictureOfEach, type ServedPicture } from '../pictures/index.ts'
import { readSheetsById } from '../sheets/index.ts'

/** A passport as its owner sees it among their own. */
export interface OwnedPassport {
  id: string
  title: string
  /** Its first picture at addresses of ours; null if it has none, or none yet. */
  picture: ServedPicture | null
  status: PassportStatus
  /** When it became theirs, RFC 3339. */
  mintedAt: string | null
}

/**
 * Lists the passports that these accounts of an organization's application have claimed, the newest first.
 */
export async function listOwnedPassports(
  db: Knex,
  { organization, accounts }: { organization: string; accounts: readonly string[] },
  limit: number,
): Promise<OwnedPassport[]> {
  const rows = await listClaimedPassports(db, accounts, limit)
  const sheets = await readSheetsById(
    db,
    rows.flatMap(({ sheet }) => (sheet === null ? [] : [sheet])),
  )
  const getSheet = ({ sheet }: (typeof rows)[number]) => (sheet === null ? undefined : sheets.get(sheet))
  const addresses = rows.flatMap((row): [string, string][] => {
    const [first] = findShownPictures(row, getSheet(row))
    return first ? [[row.id, first.address]] : []
  })
  const served = await readServedPictureOfEach(db, organization, new Map(addresses))
  return rows.map((row) => {
    const sheet = getSheet(row)
    const product = row.product ?? {}
    return {
      id: row.id,
      title: sheet?.name ?? String(product['name'] ?? row.id),
      picture: served.get(row.id) ?? null,
      status: row.status,
      mintedAt: row.mintedAt,
    }
  })
}
