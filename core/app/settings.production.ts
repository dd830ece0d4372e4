import { listSigningReasons } from './settings.signing.ts'
import type { Settings } from './settings.ts'

/**
 * Lists what makes a production unsafe or useless: sessions that could be forged, http addresses, codes that reach
 * nobody. The API and the worker call this function, because both write our addresses into their output and send codes.
 * @returns a sentence for each missing or unsafe setting; empty outside production
 */
export function listUnsafeProductionReasons(settings: Settings): string[] {
  const { production, sessionSecret, baseUrl, publicUrl, allowHttp, smtpUrl, signInCodes } = settings
  const { stripeSecretKey, stripeWebhookSecret, stripeApiUrl } = settings
  if (!production) return []
  const reasons: string[] = listSigningReasons(settings)
  if (sessionSecret === undefined)
    reasons.push('SESSION_SECRET is not set; production needs it: a secret of at least 16 characters')
  const addresses = { BASE_URL: baseUrl, ...(publicUrl !== baseUrl && { PUBLIC_URL: publicUrl }) }
  for (const [name, address] of Object.entries(addresses)) {
    if (allowHttp || address.startsWith('https://')) continue
    reasons.push(`${name} is not allowed: production needs an https address; ALLOW_HTTP=true takes one of http`)
  }
  if (smtpUrl === undefined && signInCodes === 'on') {
    reasons.push(
      'SMTP_URL is not set; people sign in by a code that comes by mail: set it, or SIGN_IN_CODES=off where nobody does',
    )
  }
  if (stripeSecretKey !== undefined && stripeWebhookSecret === undefined) {
    reasons.push('STRIPE_WEBHOOK_SECRET is not set; with STRIPE_SECRET_KEY, plans follow the events that it signs')
  }
  if (stripeApiUrl !== undefined && !stripeApiUrl.startsWith('https://'))
    reasons.push('STRIPE_API_URL is not allowed: production sends its key by https only')
  for (const [name, address] of Object.entries({
    GOOGLE_WALLET_URL: settings.googleWalletUrl,
    GOOGLE_OAUTH_URL: settings.googleOauthUrl,
    GOOGLE_PAY_KEYS_URL: settings.googlePayKeysUrl,
  }))
    if (address !== undefined && !address.startsWith('https://'))
      reasons.push(`${name} is not allowed: production asks the wallet by https only`)
  return reasons
}
