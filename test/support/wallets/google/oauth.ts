import { createPublicKey, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto'

/** The file that Google gives out for a service account. */
export interface ServiceAccountFile {
  type: 'service_account'
  project_id: string
  private_key_id: string
  private_key: string
  client_email: string
  client_id: string
  token_uri: string
}

export function createServiceAccount(): ServiceAccountFile {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return {
    type: 'service_account',
    project_id: 'cards-of-tests',
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    client_email: `cards-${randomBytes(4).toString('hex')}@cards-of-tests.iam.gserviceaccount.com`,
    client_id: '100000000000000000001',
    // A platform that asks here follows what its users say, and not its settings.
    token_uri: 'http://127.0.0.1:9/token',
  }
}

/** Reads the claims of a JWT that the service account signed by RS256; null for any other. */
export function readJwt(account: ServiceAccountFile, jwt: string): Record<string, unknown> | null {
  const [header = '', claims = '', signature = '', ...more] = jwt.split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const verifier = createVerify('sha256').update(`${header}.${claims}`)
  const isSigned = verifier.verify(createPublicKey(account.private_key), Buffer.from(signature, 'base64url'))
  if (!isSigned || more.length > 0) return null
  const { alg, kid } = parse(header)
  return alg === 'RS256' && kid === account.private_key_id ? parse(claims) : null
}

const scope = 'https://www.googleapis.com/auth/wallet_object.issuer'

/** Says what is wrong with a request for a token; null if nothing is. Source: RFC 7523, section 3. */
export function findTokenObjection(
  account: ServiceAccountFile,
  tokenUrl: string,
  form: URLSearchParams,
): string | null {
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'unsupported_grant_type'
  const claims = readJwt(account, form.get('assertion') ?? '')
  if (!claims) return 'Invalid JWT Signature.'
  const { iss, aud, scope: given, iat, exp } = claims
  const now = Date.now() / 1_000
  if (iss !== account.client_email) return 'Invalid issuer.'
  if (aud !== tokenUrl) return 'Invalid audience.'
  if (given !== scope) return 'Invalid scope.'
  if (typeof iat !== 'number' || typeof exp !== 'number') return 'Missing iat or exp.'
  if (iat > now + 60 || exp < now || exp - iat > 3_600) return 'Token must be a short-lived token.'
  return null
}
