import { networkNames } from '../../../chains/networks.ts'
import { instant, integer, list, nullable, object, oneOf, string, type Static } from '../../../kernel/schema.ts'
import { Jwk, keyStatuses } from '../keys/index.ts'

const KeyReceipt = object(
  {
    network: oneOf(networkNames, 'Network whose registry of keys says so.'),
    caip2: string('The same as a CAIP-2 chain id.'),
    act: oneOf(
      ['registerKey', 'rotateKey', 'revokeKey'],
      'What was recorded: rotateKey registers this key as the successor of another.',
    ),
    compromisedAt: nullable(instant('Of a revocation: since when; null: from the beginning.')),
    contract: nullable(string('Address of the registry; null where it is not known any more.')),
    transactionHash: nullable(string('The transaction.')),
    blockNumber: nullable(integer('Its block.', { minimum: 0 })),
    at: nullable(instant('Time of that block.')),
  },
  { title: 'IssuerKeyReceipt', description: 'A final record of a key on a network.' },
)

const IssuerKey = object(
  {
    kid: string('The key as Multikey: what stands behind `#` in a proof.'),
    dids: list(string('A DID.'), 'Identifiers that it signs, or signed, under: its did:key and proven domains.'),
    type: oneOf(['Ed25519'], 'Signature scheme.'),
    publicKeyMultibase: string('The public key as Multikey.'),
    publicKeyJwk: Jwk,
    status: oneOf(
      keyStatuses,
      'rotated: valid for what was anchored or issued before validUntil; revoked: for what was anchored before compromisedAt.',
    ),
    validFrom: instant('When it was made.'),
    validUntil: nullable(instant('When it was rotated or revoked; null while it signs.')),
    revokedAt: nullable(instant('When it was revoked.')),
    compromisedAt: nullable(
      instant('Since when a revoked key counts for nothing; null with revokedAt: from the beginning.'),
    ),
    receipts: list(KeyReceipt, 'What networks know of it, the oldest first.'),
  },
  { title: 'IssuerKey', description: 'A key of an issuer, also one that signs no more.' },
)
export type IssuerKey = Static<typeof IssuerKey>

export const IssuerKeys = list(
  IssuerKey,
  'Every key of the organization behind the DID, also of its former DIDs, the newest first.',
)
