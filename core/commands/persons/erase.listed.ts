import type { Context } from '../../kernel/work.ts'
import { readTables } from './catalogue.ts'
import { connectFor } from './connection.ts'
import { erasePerson } from './erase.ts'
import { hashAddress, readErased } from './erased.list.ts'

/** What may be an address; a keyed hash decides. */
const addresses = '[a-z0-9._%+-]+@[a-z0-9-]+(?:\\.[a-z0-9-]+)+|\\+[1-9][0-9]{6,14}'

/**
 * Erases again who was erased before: a database that was restored may have them back. Every address in it is held
 * against the list, as the list has none but hashes. @returns how many persons were found
 */
export async function eraseListed(context: Context): Promise<{ erased: number }> {
  const listed = readErased(context.settings)
  const found = listed.size === 0 ? [] : await addressesIn(context)
  const again = found.filter((address) => hashAddress(context.settings, address).some((hash) => listed.has(hash)))
  let erased = 0
  for (const address of again) {
    const { deleted, changed, remains } = await erasePerson(context, address)
    if (Object.keys({ ...deleted, ...changed, ...remains }).length > 0) erased++
  }
  return { erased }
}

/** Characters of the longest address. Source: RFC 5321, section 4.5.3.1.3, without the angle brackets of a path. */
const longest = 254

/**
 * What may be an address in a text that ends with one: all of it, and each part behind a dot, as what stands before that
 * can be the path to a member that is named by the address. Only its end can be one where it is longer than addresses are.
 */
function addressesWithin(text: string): string[] {
  const end = text.slice(-longest)
  const starts = [...end.slice(0, end.indexOf('@') + 1).matchAll(/\.(?=[^.@])/g)].map(({ index }) => index + 1)
  return [end, ...starts.map((start) => end.slice(start))]
}

async function addressesIn(context: Context): Promise<string[]> {
  const client = await connectFor(context)
  try {
    const found = new Set<string>()
    for (const { name, columns } of await readTables(client)) {
      for (const column of columns) {
        const text = column.type === 'bytea' ? `encode(${column.name}, 'escape')` : `${column.name}::text`
        const { rows } = await client.query<{ address: string }>(
          `select distinct lower(match[1]) as address from ${name}, regexp_matches(${text}, $1, 'gi') as match`, [`(${addresses})`])
        for (const { address } of rows) for (const one of addressesWithin(address)) found.add(one)
      }
    }
    return [...found]
  } finally {
    await client.end()
  }
}
