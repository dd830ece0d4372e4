import type { Knex } from 'knex'
import { UnavailableError } from '../../../kernel/unavailable.ts'
import type { Context } from '../../../kernel/work.ts'
import { readSecret } from '../organizations/organizations.secrets.ts'
import type { StoredSettings } from '../organizations/organizations.settings.ts'

/** The providers of identities by which buyers sign in, as methods of sign-in are called. */
export const providerNames = ['google', 'auth0'] as const
export type ProviderName = (typeof providerNames)[number]

/** A provider of identities with our client there. */
export interface Provider {
  /** Its issuer identifier. Source: OpenID Connect Core 1.0, section 1.2. */
  issuer: string
  clientId: string
  clientSecret: string
  /**
   * The organization that the provider belongs to: it vouches for people within that organization only. Null if it
   * vouches for everybody.
   */
  organization: string | null
  /** The value of `prompt`. A person with several accounts at Google chooses one each time. */
  prompt?: string
}

/** Source: Google Identity, OpenID Connect, "Discovery document". */
const googleIssuer = 'https://accounts.google.com'

/** Checks whether this installation has a client at Google, by which buyers of every organization can sign in. */
export const offersGoogle = ({ googleClientId, googleClientSecret }: Context['settings']): boolean =>
  googleClientId !== undefined && googleClientSecret !== undefined

/**
 * Reads the provider by which buyers of an organization sign in.
 * @throws UnavailableError if this installation, or the organization, has no client there
 */
export async function readProvider(context: Context, name: ProviderName, organization: string): Promise<Provider> {
  const provider = name === 'google' ? findGoogle(context) : await findTenant(context, organization)
  if (provider) return provider
  throw new UnavailableError('Sign-in by this provider is not set up here.')
}

function findGoogle({ settings: { googleClientId, googleClientSecret } }: Pick<Context, 'settings'>): Provider | null {
  if (googleClientId === undefined || googleClientSecret === undefined) return null
  return {
    issuer: googleIssuer,
    clientId: googleClientId,
    clientSecret: googleClientSecret,
    organization: null,
    prompt: 'select_account',
  }
}

/** Finds the organization's own tenant at Auth0. Its issuer ends in a slash. Source: Auth0, "ID Token Structure". */
async function findTenant(context: Context, organization: string): Promise<Provider | null> {
  const { domain, clientId } = await readTenantSettings(context.db, organization)
  const clientSecret = await readSecret(context.db, context, organization, 'auth0ClientSecret')
  if (domain === undefined || clientId === undefined || clientSecret === null) return null
  return { issuer: `https://${domain}/`, clientId, clientSecret, organization }
}

async function readTenantSettings(
  db: Knex,
  organization: string,
): Promise<Partial<StoredSettings['authConfig']['auth0']>> {
  const row = await db('organizations')
    .where({ id: organization })
    .first<{ settings: StoredSettings } | undefined>('settings')
  return row?.settings.authConfig.auth0 ?? {}
}
