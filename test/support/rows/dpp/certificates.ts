import type { Knex } from 'knex'

/** Counts the versions of all certificates of an organization, also those under no root yet. */
export async function countCertificates(db: Knex, organization: string): Promise<number> {
  const [row] = await db('passport_credentials').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Lists for each version of a passport's certificate, the oldest first, whether a copy is kept here. */
export async function listKeptCopies(db: Knex, passport: string): Promise<boolean[]> {
  const versions = await db('passport_credentials')
    .where({ passport })
    .orderBy('version')
    .select<{ ld: Buffer | null }[]>('ld')
  return versions.map(({ ld }) => ld !== null)
}

/** A key that signed a certificate, as it is now. */
export interface CertificateKey {
  id: string
  status: string
}

/** Lists the key of each version of the organization's certificates, by their passports. */
export async function listCertificateKeys(db: Knex, organization: string): Promise<CertificateKey[]> {
  return db('passport_credentials as c')
    .join('certification_keys as k', 'k.id', 'c.key')
    .where('c.organization', organization)
    .orderBy('c.passport')
    .select<CertificateKey[]>('k.id', 'k.status')
}

/** Counts the different places that certificates of an organization have in status lists. */
export async function countStatusPlaces(db: Knex, organization: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ places: number }] }>(
    `select count(distinct (status_pair, status_index))::int as places from passport_credentials where organization = ?`,
    [organization],
  )
  return rows[0].places
}

/** The bit of a certificate in the status list of a purpose. */
export interface StatusBit {
  purpose: string
  bit: number
}

/** Reads the bits of a passport's certificate in its status lists, by their purposes. */
export async function readStatusBits(db: Knex, passport: string): Promise<StatusBit[]> {
  const { rows } = await db.raw<{ rows: StatusBit[] }>(
    `select l.purpose, get_bit(l.bits, (c.status_index & ~7) | (7 - (c.status_index & 7))) as bit
     from passport_credentials c join status_lists l on l.pair = c.status_pair where c.passport = ? order by l.purpose`,
    [passport],
  )
  return rows
}

/** The certificate of a passport as it is stored. It has no forms here if its organization hosts it. */
export interface StoredCertificate {
  ld: Buffer | null
  jwt: Buffer | null
  cid: string | null
  pinnedAt: Date | null
  statusPair: string | null
  statusIndex: number | null
}

/** A stored certificate that the platform signed. */
export interface SignedCertificate extends StoredCertificate {
  ld: Buffer
  jwt: Buffer
  cid: string
  statusPair: string
  statusIndex: number
}

/** Reads the present certificate of a passport as it is stored. */
export async function readStoredCertificate(db: Knex, passport: string): Promise<StoredCertificate> {
  const row = await db('passport_credentials as c')
    .join('passports as p', 'p.credential', 'c.id')
    .where('p.id', passport)
    .first<StoredCertificate | undefined>(
      'c.ld',
      'c.jwt',
      'c.cid',
      'c.pinned_at as pinnedAt',
      'c.status_pair as statusPair',
      'c.status_index as statusIndex',
    )
  if (!row) throw new Error(`The passport ${passport} has no certificate`)
  return row
}

/** Reads the present certificate of a passport, which the platform signed and has stored in all of its forms. */
export async function readSignedCertificate(db: Knex, passport: string): Promise<SignedCertificate> {
  const stored = await readStoredCertificate(db, passport)
  if (!isSigned(stored)) throw new Error(`The certificate of the passport ${passport} is not stored`)
  return stored
}

function isSigned(stored: StoredCertificate): stored is SignedCertificate {
  const { ld, jwt, cid, statusPair, statusIndex } = stored
  return [ld, jwt, cid, statusPair, statusIndex].every((value) => value !== null)
}

/** Loses the stored forms of the certificates of a passport, so that only copies elsewhere are left. */
export async function loseStoredForms(db: Knex, passport: string): Promise<void> {
  await db('passport_credentials').where({ passport }).update({ ld: null, jwt: null })
}

/** Counts the versions of the certificate of a passport, also those that no answer shows yet. */
export async function countCertificateVersions(db: Knex, passport: string): Promise<number> {
  const [row] = await db('passport_credentials').where({ passport }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
