import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../../../kernel/work.ts'
import { formatColour, getPapers, parseColour } from '../../../applications/index.ts'

import { findLogoHash, type PassApplication } from '../apple/pictures.ts'
import type { CardContent } from '../content.ts'
import { readWalletCredentials, type GoogleCredentials, type WalletApplication } from '../credentials.ts'
import { createRootKeys, type RootKeys } from './callbacks/keys.ts'
import { createGoogleClient, type GoogleClient } from './client.ts'
import { createOutboxClient } from './client.outbox.ts'
import { getLogoPath } from './logo.ts'
import type { GoogleCardContent, ProgramContent } from './templates.ts'

type Settings = Context['settings']

/** Google's own addresses, which a production uses. */
const ownAddresses = {
  url: 'https://walletobjects.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  keysUrl: 'https://pay.google.com/gp/m/issuer/keys',
} as const

/** The API for the cards of one application, and what it signs with. */
export interface GoogleIssuer {
  client: GoogleClient
  credentials: GoogleCredentials
}

/** The most service accounts whose clients, with their tokens, a process keeps. */
const maxClients = 1_000

const clients = new WeakMap<Settings, LRUCache<string, GoogleClient>>()
const rootKeys = new WeakMap<Settings, RootKeys>()

/**
 * Opens the API for the cards of an application. Outside production, without an address of the API, nothing is sent and
 * messages stand in the outbox. @throws WALLET_NOT_CONFIGURED
 */
export async function openGoogle(
  db: Knex,
  context: Pick<Context, 'settings' | 'clock' | 'db' | 'messenger'>,
  application: WalletApplication,
): Promise<GoogleIssuer> {
  const credentials = await readWalletCredentials(db, context, application, 'google-wallet')
  let kept = clients.get(context.settings)
  if (!kept) clients.set(context.settings, (kept = new LRUCache({ max: maxClients })))
  let client = kept.get(credentials.version)
  if (!client) kept.set(credentials.version, (client = createClient(context, credentials)))
  return { client, credentials }
}

function createClient(
  context: Pick<Context, 'settings' | 'clock' | 'db' | 'messenger'>,
  serviceAccount: GoogleCredentials,
): GoogleClient {
  const { production, googleWalletUrl, googleOauthUrl } = context.settings
  const url = googleWalletUrl ?? (production ? ownAddresses.url : undefined)
  if (url === undefined) return createOutboxClient(context)
  return createGoogleClient({
    url,
    tokenUrl: googleOauthUrl ?? ownAddresses.tokenUrl,
    serviceAccount,
    now: () => context.clock.now(),
  })
}

/** Returns the keys that sign callbacks; null where no callback is taken: outside production without their address. */
export function getRootKeys({ settings, clock }: Pick<Context, 'settings' | 'clock'>): RootKeys | null {
  const url = settings.googlePayKeysUrl ?? (settings.production ? ownAddresses.keysUrl : undefined)
  if (url === undefined) return null
  let keys = rootKeys.get(settings)
  if (!keys) rootKeys.set(settings, (keys = createRootKeys(url, () => clock.now())))
  return keys
}

/** Reads what all cards of an application show. */
export async function readProgram(
  context: Pick<Context, 'settings' | 'db' | 'notices'>,
  application: PassApplication,
  issuerId: string,
): Promise<ProgramContent> {
  const { baseUrl, publicUrl } = context.settings
  const { id, name, theme } = application
  return {
    application: id,
    issuerId,
    name: theme.title ?? name,
    logo: `${publicUrl}${getLogoPath(id, await findLogoHash(context.db, context, application))}`,
    colour: formatColour(parseColour(theme.primaryColor ?? getPapers(theme, 'light').accent)),
    callbackUrl: `${baseUrl}/v1/google-wallet/callbacks`,
  }
}

/** Creates what one card shows. */
export const toGoogleContent = (content: CardContent): GoogleCardContent => {
  const { card, memberNumber, points, tier, visits, message, language } = content
  return {
    card,
    memberNumber,
    points,
    tier,
    visits,
    message,
    language,
  }
}
