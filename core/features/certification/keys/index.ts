export { getIssuerKeysAddress } from './address.ts'
export {
  createDid,
  createDidDocument,
  createJwkThumbprint,
  createKeyId,
  createVerificationMethods,
  type DidDocument,
  type DidVerificationMethod,
  toJoseMethodId,
  toJwk,
} from './did.ts'
export { keyStatuses } from './keys.machine.ts'
export {
  findActiveDomainName,
  type KeyRow,
  type KeyStatus,
  lockKeys,
  readCertificationKeys,
  readRegistrations,
  type RegistrationRow,
  toHexPublicKey,
} from './keys.rows.ts'
export { CertificationKey, CertificationKeys, Jwk, KeyRevocation, KeyRotation } from './keys.schema.ts'
export { sealedKeyColumn, signWithKey } from './keys.secret.ts'
export {
  activateKey,
  changeCompromise,
  clearDocumentDue,
  holdKeyForDocument,
  releaseKeys,
  revokeKeyRow,
  revokeUnpublishedKey,
  revokeUnusedKey,
  rotateActiveKey,
  setDocumentDue,
} from './keys.store.ts'
export {
  ensureCertificationKey,
  insertKey,
  readActiveKey,
  readIssuingKey,
  readSigningKey,
  type SigningKey,
} from './keys.ts'
export { formatMultikey, getAlgorithms, parseJwk, parseMultikey, type PublicKey, toJoseKey } from './public-key.ts'
