import { isObject } from '../../../../kernel/json/values.ts'
import { signJwt, type ServiceAccount } from './jwt.ts'
import { createPostponement, type GoogleAnswer, type GoogleFailure } from './outcomes.ts'
import { GoogleSilenceError, readTextMember, sendGoogleRequest } from './requests.ts'

/** What a token allows: all of the Wallet API. Source: Google Wallet API, "Authorization scopes". */
const scope = 'https://www.googleapis.com/auth/wallet_object.issuer'
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The most that Google lets an assertion last. Source: Google Identity, "Using OAuth 2.0 for server to server applications". */
const assertionSeconds = 3_600
/** How long before its end a token is not used any more, in milliseconds. */
const spareMs = 60_000

export type TokenAnswer = { status: 'ready'; token: string } | GoogleFailure

export interface TokenSource {
  /** Returns the token; many who ask at the same time wait for one request. */
  getToken(): Promise<TokenAnswer>
  /** Forgets a token that was refused. */
  dropToken(token: string): void
}

export interface TokenOptions {
  /** Where tokens are given out. It comes from the settings, never from the file of the service account. */
  tokenUrl: string
  serviceAccount: ServiceAccount
  now: () => Date
}

/** Creates the source of access tokens of a service account. Source: RFC 7523, section 2.1. */
export function createTokenSource(options: TokenOptions): TokenSource {
  let kept: { token: string; until: number } | null = null
  let request: Promise<TokenAnswer> | null = null
  const requestToken = async (): Promise<TokenAnswer> => {
    const answer = await askForToken(options)
    if ('failure' in answer) return answer.failure
    kept = { token: answer.token, until: options.now().getTime() + answer.seconds * 1_000 - spareMs }
    return { status: 'ready', token: answer.token }
  }
  return {
    async getToken() {
      if (kept && options.now().getTime() < kept.until) return { status: 'ready', token: kept.token }
      request ??= requestToken().finally(() => {
        request = null
      })
      return request
    },
    dropToken(token) {
      if (kept?.token === token) kept = null
    },
  }
}

async function askForToken({
  tokenUrl,
  serviceAccount,
  now,
}: TokenOptions): Promise<{ token: string; seconds: number } | { failure: GoogleFailure }> {
  const at = now()
  const assertion = await signJwt(
    serviceAccount,
    { aud: tokenUrl, scope, exp: Math.floor(at.getTime() / 1_000) + assertionSeconds },
    at,
  )
  try {
    const answer = await sendGoogleRequest({
      method: 'POST',
      url: tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: grantType, assertion }).toString(),
    })
    return readToken(answer)
  } catch (cause) {
    // Without a token nothing was asked of the Wallet API, whatever became of this request.
    if (cause instanceof GoogleSilenceError) return { failure: createPostponement(null) }
    throw cause
  }
}

function readToken(answer: GoogleAnswer): { token: string; seconds: number } | { failure: GoogleFailure } {
  const { status, retryAfter, body } = answer
  if (status === 429 || status >= 500) return { failure: createPostponement(retryAfter) }
  const token = readTextMember(body, 'access_token')
  const seconds = isObject(body) ? body['expires_in'] : undefined
  if (status === 200 && token !== null && typeof seconds === 'number') return { token, seconds }
  return { failure: { status: 'failed', code: 'INVALID_CREDENTIALS' } }
}
