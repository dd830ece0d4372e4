import { readFileSync } from 'node:fs'
import type { Context } from '../../../../kernel/work.ts'
import type { AppleCredentials } from '../credentials.ts'
import { createApnsClient, type Push, type Pusher, type PushOutcome } from './apns.ts'

/** Where pushes go in production. Source: Apple, "Sending notification requests to APNs". */
const productionUrl = 'https://api.push.apple.com:443'

/** What sends the pushes of all applications, with a connection for each certificate. */
export interface Pushers {
  /** Returns what sends pushes with these credentials. */
  get(credentials: AppleCredentials): Pusher
  close(): void
}

type PusherContext = Pick<Context, 'settings' | 'db' | 'messenger'>

/**
 * Creates what sends the pushes of all applications. Outside production without an address, pushes stand in the outbox.
 * @param maxSessions the most connections for each certificate
 */
export function createPushers(context: PusherContext, { maxSessions = 1 }: { maxSessions?: number } = {}): Pushers {
  const { apnsUrl, apnsCa, production } = context.settings
  const url = apnsUrl ?? (production ? productionUrl : undefined)
  if (url === undefined) return { get: () => createOutboxPusher(context), close: () => undefined }
  const ca = apnsCa === undefined ? undefined : readFileSync(apnsCa, 'utf8')
  const clients = new Map<string, Pusher>()
  return {
    get({ version, certificates, privateKey }) {
      let client = clients.get(version)
      if (!client) {
        client = createApnsClient({ url, certificates, privateKey, maxSessions, ...(ca !== undefined && { ca }) })
        clients.set(version, client)
      }
      return client
    },
    close() {
      for (const client of clients.values()) client.close()
    },
  }
}

const createOutboxPusher = ({ db, messenger }: PusherContext): Pusher => ({
  async push({ token, text = '' }: Push): Promise<PushOutcome> {
    await messenger.keepPushes(db, [{ channel: 'apple-wallet', to: token, text }])
    return { status: 'sent' }
  },
  close: () => undefined,
})
