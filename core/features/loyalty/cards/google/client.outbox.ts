import type { Context } from '../../../../kernel/work.ts'
import type { GoogleClient } from './client.ts'

/**
 * Creates the client of a platform that sends nothing to Google: messages stand in the outbox, where developers see them,
 * and each card is taken for one that a person has.
 */
export function createOutboxClient({ db, messenger }: Pick<Context, 'db' | 'messenger'>): GoogleClient {
  const sent = () => Promise.resolve({ status: 'sent' } as const)
  return {
    ensureClass: sent,
    upsertObject: sent,
    patchObject: sent,
    readObject: () => Promise.resolve({ status: 'found', card: { messages: [], hasUsers: true } }),
    async addMessage({ object, headline, body }) {
      await messenger.keepPushes(db, [{ channel: 'google-wallet', to: object, text: `${headline}\n${body}` }])
      return { status: 'sent' }
    },
  }
}
