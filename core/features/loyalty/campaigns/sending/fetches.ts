import type { Context } from '../../../../kernel/work.ts'
import type { Card } from '../../cards/index.ts'
import { recordFetch } from './deliveries.store.ts'

/** Notes that a phone has got a card with the message that it was pushed for. */
export async function noteFetch({ db }: Context, { message, account, channel }: Card): Promise<void> {
  if (message !== null) await recordFetch(db, { message: message.id, account, channel })
}
