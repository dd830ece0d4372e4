import { networkNames } from '../../../chains/networks.ts'
import {
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { keyStatuses } from './keys.machine.ts'

const Registration = object(
  {
    network: oneOf(networkNames, 'Network with a registry of keys.'),
    status: oneOf(['pending', 'registered', 'revoked', 'failed'], 'What the registry says of the key, or will.'),
    transactionHash: nullable(string('The newest transaction that changed it there; null before one is final.')),
  },
  { title: 'KeyRegistration', description: 'What a network knows of a certification key.' },
)

export const Jwk = object(
  {
    kty: oneOf(['OKP'], 'Key type.'),
    crv: oneOf(['Ed25519'], 'Curve of the key.'),
    x: string('The public key in base64url.'),
  },
  { title: 'PublicKeyJwk', description: 'A public key as JWK (RFC 8037).' },
)

export const CertificationKey = object(
  {
    id: uuid('Identifier of the key.'),
    kid: string('Name of the key inside the DID document, what stands behind `#` in a proof: the Multikey.'),
    type: oneOf(['Ed25519'], 'Signature scheme.'),
    publicKeyMultibase: string('The public key as Multikey, `z6Mk…`.'),
    publicKeyJwk: Jwk,
    did: string('Identifier that the key signs under: `did:web` of the configured domain, else its own `did:key`.'),
    status: oneOf(
      keyStatuses,
      'active signs; pending waits for its registration; rotated still verifies; revoked does not.',
    ),
    onChainStatus: oneOf(['registered', 'pending'], 'registered when it is valid on at least one network.'),
    networks: list(Registration, 'Networks that have the key, or will.'),
    createdAt: instant('When the key was made.'),
    rotatedAt: nullable(instant('When another key took its place.')),
    revokedAt: nullable(instant('When it was revoked.')),
  },
  { title: 'CertificationKey', description: 'A key that signs certificates; the private half is never shown.' },
)
export type CertificationKey = Static<typeof CertificationKey>

export const CertificationKeys = list(CertificationKey, 'All keys of the organization, the newest first.')

export const KeyRotation = object(
  {
    key: CertificationKey,
    queuedJobs: integer('Jobs that register it on networks; 0 when it is active already.', { minimum: 0 }),
  },
  { title: 'KeyRotation', description: 'The new key.' },
)

export const KeyRevocation = object(
  {
    reason: string('Why, for the record.', { minLength: 1, maxLength: 500, pattern: '\\S' }),
    compromisedAt: optional(instant('Certificates anchored before stay valid; without it all fail.')),
  },
  { title: 'KeyRevocation', description: 'Why and since when a key is not to be trusted.' },
)
