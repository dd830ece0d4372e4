import type { Knex } from 'knex'

/** Replaces a word in the copies of a passport's certificate, so that their signatures no longer fit. */
export async function forgeCertificate(
  db: Knex,
  passport: string,
  { word, replacement }: { word: string; replacement: string },
): Promise<void> {
  await db.raw(
    `update passport_credentials set ld = convert_to(replace(convert_from(ld, 'UTF8'), ?, ?), 'UTF8') where passport = ?`,
    [word, replacement, passport],
  )
}

/** Removes every copy of a passport's certificate, so that nothing is left to check. */
export async function removeCertificateCopies(db: Knex, passport: string): Promise<void> {
  await db('passport_credentials').where({ passport }).update({ ld: null, jwt: null, cid: null })
}

/** Writes other data of a published passport than its certificate says, which no request can do. */
export async function replaceCertifiedData(db: Knex, id: string, data: object): Promise<void> {
  await db('passports')
    .where({ id })
    .update({ data: JSON.stringify(data) })
}

/** Says of a passport that a version of its certificate is under way, which otherwise lasts for a moment. */
export async function markCertificationPending(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ certification_status: 'pending' })
}

/** Says of a passport that its organization keeps the certificate, at an address that we cannot reach. */
export async function moveCertificateOutOfReach(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ certificate_uri: 'https://localhost/certificate' })
}
