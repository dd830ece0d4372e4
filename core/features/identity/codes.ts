import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { codeLife, makeCode, type Address, type Realm } from './auth.ts'

/** Codes that one address gets within an hour, whatever they are for. */
const sendsAnHour = 5

const countSql = `
  insert into code_sends as c (address_hash, sent, last_at) values (:address, array[now()], now())
  on conflict (address_hash) do update
    set sent = array(select t from unnest(c.sent) t where t > now() - interval '1 hour') || now(), last_at = now()
    where (select count(*) from unnest(c.sent) t where t > now() - interval '1 hour') < :most
  returning 1 as counted`

const waitSql = `
  select ceil(extract(epoch from min(t) + interval '1 hour' - now()))::int as seconds
  from code_sends, unnest(sent) t where address_hash = :address and t > now() - interval '1 hour'`

/**
 * Counts one code for an address. The row's lock makes it exact over all processes; without the database nothing is
 * sent. @throws RATE_LIMITED with the seconds until the oldest of the hour is over
 */
export async function countSend(db: Knex, { channel, to }: Address): Promise<void> {
  const address = createHash('sha256').update(`${channel}:${to}`).digest('base64url')
  const { rows } = await db.raw<{ rows: unknown[] }>(countSql, { address, most: sendsAnHour })
  if (rows.length > 0) return forget(db)
  const waited = await db.raw<{ rows: { seconds: number | null }[] }>(waitSql, { address })
  const seconds = Math.max(1, waited.rows[0]?.seconds ?? 1)
  throw problem('RATE_LIMITED', `At most ${sendsAnHour} codes an hour go to one address. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Forgets addresses that no limit concerns any more. */
async function forget(db: Knex): Promise<void> {
  await db('code_sends').where('last_at', '<', db.raw(`now() - interval '1 hour'`)).delete()
}

/** Sends a new code to an address. The same work is done for people who are known and who are not. */
export async function sendCode(context: Context, realm: Realm, address: Address, sender: string): Promise<void> {
  await countSend(context.db, address)
  const code = await makeCode(context, realm, address)
  const from = sender.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  await context.db.transaction((trx) => context.post.send(trx, {
    ...address,
    subject: `${code} is your code for ${from}`,
    text: `${code} is your code to sign in to ${from}.\n\n`
      + `It can be used once, within ${codeLife / 60} minutes. `
      + 'If you did not ask for it, leave this message be: nothing happens without the code.\n',
  }))
}
