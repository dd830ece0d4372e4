import { Jwk } from '../keys/index.ts'
import { Type, instant, list, nullable, object, oneOf, optional, string, type Static } from '../../../kernel/schema.ts'

export const checkReasons = [
  'dns_failed',
  'tls_failed',
  'http_status',
  'content_type',
  'too_large',
  'invalid_json',
  'id_mismatch',
  'key_missing',
  'timeout',
  'blocked_address',
] as const
export type CheckReason = (typeof checkReasons)[number]

export const DidWebCheck = object(
  {
    status: oneOf(['ok', 'failed'], 'Whether the published document says what verifiers need.'),
    reason: optional(
      oneOf(
        checkReasons,
        'Only when failed. timeout: no answer, or none in time. http_status: not 200, or too many redirects. '
          + 'key_missing: an active or rotated key is absent or may not make assertions.',
      ),
    ),
    checkedAt: instant('When it was looked at.'),
  },
  { title: 'DidWebCheck', description: 'A look at `https://<domain>/.well-known/did.json`.' },
)
export type DidWebCheck = Static<typeof DidWebCheck>

const VerificationMethod = object(
  {
    id: string('What signatures name: the DID, `#` and the `kid` of the key (proofs) or its JWK thumbprint (tokens).'),
    type: oneOf(['Multikey', 'JsonWebKey'], 'How the key is written down.'),
    controller: string('The DID.'),
    publicKeyMultibase: optional(string('Of a Multikey: the public key, `z6Mk…`.')),
    publicKeyJwk: optional(Jwk),
  },
  { title: 'VerificationMethod', description: 'A key of a DID document.' },
)

const DidDocument = object(
  {
    '@context': list(Type.String(), 'Contexts of the document.'),
    id: string('The DID, `did:web:<domain>`.'),
    verificationMethod: list(
      VerificationMethod,
      'Every key of the organization that is not revoked, each as proofs name it and as tokens do.',
    ),
    assertionMethod: list(Type.String(), 'Identifiers of the keys that may sign certificates.'),
    service: list(
      object(
        {
          id: string('The DID and `#keys`.'),
          type: string('IssuerKeys.'),
          serviceEndpoint: string('Where everybody reads the history of the keys.'),
        },
        { title: 'DidService', description: 'A service of a DID document.' },
      ),
      'Where verifiers learn of revoked keys.',
    ),
  },
  { title: 'DidDocument', description: 'What to publish at `https://<domain>/.well-known/did.json`.' },
)

const domain = nullable(
  string('Bare host name, in ASCII and small letters; null: certificates are signed under did:key.'),
)

export const DidWebConfig = object(
  {
    domain,
    status: nullable(
      oneOf(['pending', 'active'], 'pending until its document was found; active: certificates are signed under it.'),
    ),
    did: string('Identifier that certificates are signed under now.'),
    didDocument: nullable(DidDocument),
    lastCheck: nullable(DidWebCheck),
    missingSince: nullable(
      instant('Since when the document of the active domain is not as verifiers need it; signing goes on.'),
    ),
    rotationDueAt: nullable(instant('Until when the document has to have the new key; after it the rotation fails.')),
    active: nullable(
      object(
        {
          domain: string('The domain that certificates are signed under.'),
          didDocument: DidDocument,
          lastCheck: nullable(DidWebCheck),
        },
        {
          title: 'ActiveDidWebDomain',
          description: 'The domain that is signed under, also while another one is pending.',
        },
      ),
    ),
  },
  {
    title: 'DidWebConfig',
    description: 'The domain that speaks for the organization. What was signed under another one stays under it.',
  },
)
export type DidWebConfig = Static<typeof DidWebConfig>

export const DidWebDomain = object(
  {
    domain: nullable(
      string('Bare host name without scheme, port and path; null clears it.', { minLength: 1, maxLength: 253 }),
    ),
  },
  { title: 'DidWebDomain', description: 'The domain to sign under.' },
)
