import type { Client } from 'pg'
import type { Context } from '../../kernel/work.ts'
import { readTables, type SearchedColumn } from './catalogue.ts'
import { connectToDatabase } from './connection.ts'
import { erasePerson } from './erase.ts'
import { hashAddress, readErased } from './erased.list.ts'

/** A pattern of text that may be an address. The keyed hash of the text then decides. */
const addressPattern = '[a-z0-9._%+-]+@[a-z0-9-]+(?:\\.[a-z0-9-]+)+|\\+[1-9][0-9]{6,14}'

/**
 * Erases again the persons who were erased before, because a restored database may contain them. Every address in the
 * database is compared with the list, because the list has only hashes.
 * @returns number of persons found
 */
export async function eraseListedPersons(context: Context): Promise<{ erased: number }> {
  const listed = readErased(context.settings)
  const found = listed.size === 0 ? [] : await findAddresses(context)
  const listedAddresses = found.filter((address) =>
    hashAddress(context.settings, address).some((hash) => listed.has(hash)),
  )
  let erased = 0
  for (const address of listedAddresses) {
    const { deleted, changed, remains } = await erasePerson(context, address)
    if (Object.keys({ ...deleted, ...changed, ...remains }).length > 0) erased++
  }
  return { erased }
}

/**
 * Maximum length of an address, in characters. Source: RFC 5321, section 4.5.3.1.3, without the angle brackets of a
 * path.
 */
const maxAddressLength = 254

/**
 * Lists what may be an address in a text that ends with one: the whole text, and the rest of the text after each dot
 * before the `@`. The text before such a dot can be the path to a member that is named by the address. Of a longer
 * text, only the last `maxAddressLength` characters are used.
 */
function splitAddresses(text: string): string[] {
  const end = text.slice(-maxAddressLength)
  const starts = [...end.slice(0, end.indexOf('@') + 1).matchAll(/\.(?=[^.@])/g)].map(({ index }) => index + 1)
  return [end, ...starts.map((start) => end.slice(start))]
}

async function findAddresses(context: Context): Promise<string[]> {
  const client = await connectToDatabase(context)
  try {
    const foundAddresses = new Set<string>()
    for (const { name, columns } of await readTables(client)) {
      for (const column of columns) {
        for (const address of await findColumnAddresses(client, name, column)) foundAddresses.add(address)
      }
    }
    return [...foundAddresses]
  } finally {
    await client.end()
  }
}

/** What may be an address in one column of a table. */
async function findColumnAddresses(client: Client, table: string, { name, type }: SearchedColumn): Promise<string[]> {
  const text = type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`
  const { rows } = await client.query<{ address: string }>(
    `select distinct lower(match[1]) as address from ${table}, regexp_matches(${text}, $1, 'gi') as match`,
    [`(${addressPattern})`],
  )
  return rows.flatMap(({ address }) => splitAddresses(address))
}
