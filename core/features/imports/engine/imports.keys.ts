import { hash } from 'node:crypto'
import type { SeenKeys } from '../../../kernel/ports/record-sink.ts'

/**
 * The number of bytes that are stored of a key's hash: enough that two keys of a million files with a million rows each
 * never collide by chance.
 */
const keyHashLength = 20

const hashKey = (key: string) => hash('sha256', key, 'hex').slice(0, 2 * keyHashLength)

/** Creates the access to the keys that an import has seen in its own file. They are deleted when a dry run ends. */
export const createSeenKeys = (job: string): SeenKeys => ({
  async find(trx, keys) {
    const { rows } = await trx.raw<{ rows: { key: string }[] }>(
      `select encode(key, 'hex') as key from import_keys
       where job = ? and key = any(array(select decode(text, 'hex') from unnest(?::text[]) as text))`,
      [job, keys.map(hashKey)],
    )
    const found = new Set(rows.map(({ key }) => key))
    return new Set(keys.filter((key) => found.has(hashKey(key))))
  },
  async add(trx, keys) {
    await trx.raw(
      `insert into import_keys (job, key) select ?, decode(text, 'hex') from unnest(?::text[]) as text
       on conflict do nothing`,
      [job, keys.map(hashKey)],
    )
  },
})
