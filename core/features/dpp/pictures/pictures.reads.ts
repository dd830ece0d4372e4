import type { Knex } from 'knex'
import { readAnyApplication, type Theme } from '../../applications/index.ts'
import { findOpenPassport } from '../passports/index.ts'
import { isHttpsUrl, listPictureAddresses } from './find-pictures.ts'

/** One size of a picture, at an address of ours. */
export interface ServedForm {
  /** The path, such as `/p/<passport>/pictures/<hash>.webp` or `/assets/logos/<application>/<hash>.webp`. */
  path: string
  width: number
  height: number
}

/** A picture as pages show it: in its sizes, the smallest first. */
export type ServedPicture = readonly [ServedForm, ...ServedForm[]]

interface FormRow {
  address: string
  width: number
  height: number
  hash: string
}

/** Lists the addresses of a theme's pictures that can be fetched: its logo and its wide picture. */
export const listThemeAddresses = ({ logoUrl, bgImageUrl }: Theme): string[] => [logoUrl, bgImageUrl].filter(isHttpsUrl)

/**
 * Reads the sizes of those pictures of an organization that were fetched, by their addresses.
 * @param passport whose page shows them
 */
export async function readServedPictures(
  db: Knex,
  { organization, passport }: { organization: string; passport: string },
  addresses: readonly string[],
): Promise<ReadonlyMap<string, ServedPicture>> {
  const forms = await readForms(db, organization, addresses)
  return new Map([...forms].map(([address, rows]) => [address, servePicture(getFolder(passport), rows)]))
}

/**
 * Reads the sizes of one picture of each of several passports of an organization, by passport; those that were not
 * fetched are left out.
 * @param pictures the address of the picture of each passport
 */
export async function readServedPictureOfEach(
  db: Knex,
  organization: string,
  pictures: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, ServedPicture>> {
  const forms = await readForms(db, organization, [...new Set(pictures.values())])
  return new Map(
    [...pictures].flatMap(([passport, address]): [string, ServedPicture][] => {
      const rows = forms.get(address)
      return rows ? [[passport, servePicture(getFolder(passport), rows)]] : []
    }),
  )
}

type FormRows = readonly [FormRow, ...FormRow[]]

/** Returns the path beneath which the pictures of a passport are served. */
const getFolder = (passport: string): string => `/p/${passport}/pictures`

/** Creates what pages show of a picture. @param folder the path beneath which its sizes are served */
export function servePicture(folder: string, [first, ...others]: FormRows): ServedPicture {
  const serve = ({ hash, width, height }: FormRow): ServedForm => ({
    path: `${folder}/${hash}.webp`,
    width,
    height,
  })
  return [serve(first), ...others.map(serve)]
}

/** Reads the sizes of pictures of an organization, the smallest first, by the addresses of the pictures. */
export async function readForms(
  db: Knex,
  organization: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, FormRows>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await db.raw<{ rows: FormRow[] }>(
    `select p.address, f.width, f.height, encode(f.hash, 'hex') as hash
     from pictures p join picture_forms f on f.picture = p.id
     where p.organization = ? and p.address_hash in (
       select sha256(convert_to(address, 'UTF8')) from unnest(?::text[]) as named (address))
     order by p.id, f.width`,
    [organization, addresses as string[]],
  )
  const forms = new Map<string, [FormRow, ...FormRow[]]>()
  for (const row of rows) {
    const former = forms.get(row.address)
    if (former) former.push(row)
    else forms.set(row.address, [row])
  }
  return forms
}

/**
 * Reads one size of a picture that the page of a passport shows; null if it shows none with this hash, and for a draft.
 * @param hash SHA-256 of the size, in hexadecimal
 */
export async function readServedForm(db: Knex, passport: string, hash: string): Promise<Buffer | null> {
  const row = await findOpenPassport(db, passport)
  if (!row) return null
  const { theme } = await readAnyApplication(db, row.application)
  const addresses = [...(await listPictureAddresses(db, [row])), ...listThemeAddresses(theme)]
  const { rows } = await db.raw<{ rows: { body: Buffer }[] }>(
    `select f.body from pictures p join picture_forms f on f.picture = p.id
     where p.organization = ? and f.hash = decode(?, 'hex') and p.address_hash in (
       select sha256(convert_to(address, 'UTF8')) from unnest(?::text[]) as named (address))
     limit 1`,
    [row.organization, hash, addresses],
  )
  return rows[0]?.body ?? null
}
