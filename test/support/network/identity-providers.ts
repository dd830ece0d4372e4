import { createHash, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, SignJWT, UnsecuredJWT, type JWK, type JWTPayload } from 'jose'
import { createAuthority, createCertificate, startSecureServer } from './tls.ts'

/** A client that a provider knows. */
export interface ProviderClient {
  clientId: string
  clientSecret: string
  redirectUri: string
}

/** Somebody who signs in there, as the claims of an ID token say. */
export type ProvenPerson = Pick<JWTPayload, 'sub'> & { email?: unknown; email_verified?: unknown }

/** How a provider answers that is hostile or broken: once, for the next code that it exchanges. */
export type Misbehaviour =
  | { claims: (claims: JWTPayload) => JWTPayload }
  | 'alg none'
  | 'signed with the client secret'
  | 'signed with a key of nobody'
  | 'no ID token'
  | 'no JSON'
  | 'no answer'
  | 'server error'
  | { leadsTo: string }

/** One issuer of the stand-in. */
export interface StandInIssuer {
  issuer: string
  /** Members that its document says otherwise. */
  document: Record<string, string>
  clients: ProviderClient[]
  misbehaviour: Misbehaviour | null
  /** Makes new keys; tokens that were signed before are signed by nobody from then on. */
  rotateKeys(): void
  /** Why it refused requests for a token. */
  refusals: string[]
}

export interface IdentityProviders {
  /** Names that lead here. */
  env: NodeJS.ProcessEnv
  google: StandInIssuer
  /** The tenant of Auth0 with this host name. */
  getTenant(host: string): StandInIssuer
  /** Paths that were asked for, each with its host. */
  requests: string[]
  /**
   * Does what a browser does with the address of a sign-in: the person consents. @returns where the browser is sent
   * @throws Error if a real provider would show a fault instead
   */
  authorize(address: string, person: ProvenPerson): URL
  stop(): Promise<void>
}

interface IssuedCode {
  issuer: StandInIssuer
  client: ProviderClient
  challenge: string
  nonce: string
  person: ProvenPerson
  isUsed: boolean
}

const googleHosts = ['accounts.google.com', 'oauth2.googleapis.com', 'www.googleapis.com']

/**
 * Starts a server that is Google and tenants of Auth0: it refuses what they refuse, a wrong redirect address, a wrong
 * client secret, a code that was used, a missing or wrong verifier, and can be told to answer wrongly. Source: OpenID
 * Connect Core 1.0, section 3.1; RFC 6749, section 5.2; RFC 7636, section 4.6; the discovery documents of both.
 * @param closed names that lead here and that guarded fetches may not ask
 */
export async function startIdentityProviders(
  tenants: readonly string[],
  closed: readonly string[] = [],
): Promise<IdentityProviders> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-providers-'))
  const authority = await createAuthority()
  writeFileSync(join(folder, 'ca.pem'), authority.cert)
  const open = [...googleHosts, ...tenants]
  const names = [...open, ...closed]
  const google = createIssuer('https://accounts.google.com', {
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  })
  const issuers = new Map(googleHosts.map((host) => [host, google]))
  for (const host of [...tenants, ...closed]) {
    const base = `https://${host}/`
    issuers.set(
      host,
      createIssuer(base, {
        authorization_endpoint: `${base}authorize`,
        token_endpoint: `${base}oauth/token`,
        jwks_uri: `${base}.well-known/jwks.json`,
      }),
    )
  }
  const codes = new Map<string, IssuedCode>()
  const requests: string[] = []
  const server = await startSecureServer(await createCertificate(authority, names), (request, response) => {
    const host = request.headers.host ?? ''
    requests.push(`${host}${request.url}`)
    void answerRequest(issuers.get(host), codes, request, response)
  })
  return {
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OUTBOUND_ALLOW: open.join(),
      OUTBOUND_RESOLVE: names.map((name) => `${name}=127.0.0.1:${server.port}`).join(),
    },
    google,
    getTenant(host) {
      const issuer = issuers.get(host)
      if (!issuer) throw new Error(`There is no tenant ${host}`)
      return issuer
    },
    requests,
    authorize: (address, person) => authorize(issuers, codes, new URL(address), person),
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The private keys of the issuers, which no test sees. */
const keys = new WeakMap<StandInIssuer, { key: KeyObject; kid: string }>()

function createIssuer(issuer: string, endpoints: Record<string, string>): StandInIssuer {
  const made: StandInIssuer = {
    issuer,
    document: { issuer, ...endpoints },
    clients: [],
    misbehaviour: null,
    refusals: [],
    rotateKeys: () => void keys.set(made, createKey()),
  }
  made.rotateKeys()
  return made
}

const createKey = () => ({
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  kid: randomBytes(8).toString('hex'),
})

function getKey(issuer: StandInIssuer) {
  const found = keys.get(issuer)
  if (!found) throw new Error(`${issuer.issuer} has no key`)
  return found
}

async function getPublicKeys(issuer: StandInIssuer): Promise<{ keys: JWK[] }> {
  const { key, kid } = getKey(issuer)
  const { kty, n, e } = await exportJWK(key)
  return { keys: [{ kty, n, e, kid, use: 'sig', alg: 'RS256' } as JWK] }
}

function authorize(
  issuers: ReadonlyMap<string, StandInIssuer>,
  codes: Map<string, IssuedCode>,
  address: URL,
  person: ProvenPerson,
): URL {
  const issuer = issuers.get(address.host)
  const refuse = (why: string): never => {
    throw new Error(`${address.host} shows a fault: ${why}`)
  }
  if (!issuer || `${address.origin}${address.pathname}` !== issuer.document['authorization_endpoint'])
    return refuse(`no page at ${address.pathname}`)
  const get = (name: string) => {
    const values = address.searchParams.getAll(name)
    return values.length === 1 ? (values[0] ?? '') : refuse(`${values.length} of ${name}`)
  }
  const client = issuer.clients.find(({ clientId }) => clientId === get('client_id')) ?? refuse('unknown client')
  if (get('redirect_uri') !== client.redirectUri) refuse('redirect_uri_mismatch')
  if (get('response_type') !== 'code') refuse('unsupported_response_type')
  if (!get('scope').split(' ').includes('openid')) refuse('invalid_scope')
  if (get('code_challenge_method') !== 'S256') refuse('transform algorithm not supported')
  if (!/^[\w-]{43}$/.test(get('code_challenge'))) refuse('invalid code challenge')
  if (get('state').length < 22 || get('nonce').length < 22) refuse('a state or nonce that can be guessed')
  const code = randomBytes(24).toString('base64url')
  codes.set(code, {
    issuer,
    client,
    challenge: get('code_challenge'),
    nonce: get('nonce'),
    person,
    isUsed: false,
  })
  const callback = new URL(client.redirectUri)
  callback.searchParams.set('state', get('state'))
  callback.searchParams.set('code', code)
  return callback
}

async function answerRequest(
  issuer: StandInIssuer | undefined,
  codes: ReadonlyMap<string, IssuedCode>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sendJson = (status: number, value: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (!issuer) return sendJson(404, {})
  const { pathname } = new URL(request.url ?? '', issuer.issuer)
  const address = `https://${request.headers.host}${pathname}`
  if (request.method === 'GET' && pathname === '/.well-known/openid-configuration')
    return sendJson(200, issuer.document)
  if (request.method === 'GET' && address === issuer.document['jwks_uri'])
    return sendJson(200, await getPublicKeys(issuer))
  if (request.method !== 'POST' || address !== issuer.document['token_endpoint']) return sendJson(404, {})
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const outcome = redeemCode(issuer, codes, { form, type: request.headers['content-type'] })
  if ('error' in outcome) {
    issuer.refusals.push(outcome.why)
    return sendJson(outcome.status, { error: outcome.error, error_description: outcome.why })
  }
  const { misbehaviour } = issuer
  issuer.misbehaviour = null
  if (misbehaviour === 'no answer') return
  if (misbehaviour === 'server error') return sendJson(502, {})
  if (misbehaviour === 'no JSON')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')
  if (typeof misbehaviour === 'object' && misbehaviour !== null && 'leadsTo' in misbehaviour)
    return void response.writeHead(307, { location: misbehaviour.leadsTo }).end()
  const token = misbehaviour === 'no ID token' ? undefined : await signToken(issuer, outcome, misbehaviour)
  sendJson(200, {
    access_token: randomBytes(16).toString('hex'),
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: token,
  })
}

type Refusal = { status: number; error: string; why: string }

/** Exchanges a code, once, for those who may. */
function redeemCode(
  issuer: StandInIssuer,
  codes: ReadonlyMap<string, IssuedCode>,
  { form, type }: { form: URLSearchParams; type: string | undefined },
): IssuedCode | Refusal {
  const isGoogle = issuer.issuer === 'https://accounts.google.com'
  const refuse = (status: number, error: string, why: string): Refusal => ({ status, error, why })
  const refuseGrant = (why: string) => refuse(isGoogle ? 400 : 403, 'invalid_grant', why)
  if (type !== 'application/x-www-form-urlencoded') return refuse(415, 'invalid_request', 'no form')
  if (new Set(form.keys()).size !== [...form.keys()].length) return refuse(400, 'invalid_request', 'a member twice')
  if (form.get('grant_type') !== 'authorization_code') return refuse(400, 'unsupported_grant_type', 'grant_type')
  const client = issuer.clients.find(({ clientId }) => clientId === form.get('client_id'))
  if (client?.clientSecret !== form.get('client_secret')) return refuse(401, 'invalid_client', 'wrong client secret')
  const code = codes.get(form.get('code') ?? '')
  if (!code || code.issuer !== issuer || code.client !== client) return refuseGrant('no code of this client')
  if (code.isUsed) return refuseGrant('the code was used before')
  if (form.get('redirect_uri') !== client.redirectUri) return refuseGrant('redirect_uri_mismatch')
  const verifier = form.get('code_verifier')
  if (verifier === null) return refuseGrant('Missing code verifier.')
  if (createHash('sha256').update(verifier).digest('base64url') !== code.challenge)
    return refuseGrant('Invalid code verifier.')
  code.isUsed = true
  return code
}

async function signToken(
  issuer: StandInIssuer,
  { client, nonce, person }: IssuedCode,
  misbehaviour: Misbehaviour | null,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const honest: JWTPayload = { iss: issuer.issuer, aud: client.clientId, iat: now, exp: now + 3600, nonce, ...person }
  const claims =
    typeof misbehaviour === 'object' && misbehaviour && 'claims' in misbehaviour ? misbehaviour.claims(honest) : honest
  if (misbehaviour === 'alg none') return new UnsecuredJWT(claims).encode()
  const { kid, key } = getKey(issuer)
  if (misbehaviour === 'signed with the client secret')
    return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(client.clientSecret))
  const signingKey = misbehaviour === 'signed with a key of nobody' ? createKey().key : key
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(signingKey)
}
