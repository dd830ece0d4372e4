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
  const again = found.filter((address) => listed.has(hashAddress(context.settings, address)))
  let erased = 0
  for (const address of again) {
    const { deleted, changed, remains } = await erasePerson(context, address)
    if (Object.keys({ ...deleted, ...changed, ...remains }).length > 0) erased++
  }
  return { erased }
}

/** An address, and those that it is when what stands before a dot is the path to a member that is named by one. */
function addressesWithin(address: string): string[] {
  const starts = [...address.slice(0, address.indexOf('@') + 1).matchAll(/\.(?=[^.@])/g)].map(({ index }) => index + 1)
  return [address, ...starts.map((start) => address.slice(start))]
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
