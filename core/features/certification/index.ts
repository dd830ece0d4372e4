export {
  type CertifiedContent,
  combineOutcomes,
  type CredentialMediaType,
  credentialMediaTypes,
  hashContent,
  negotiateMediaType,
  parseCertifiedContent,
  runCheck,
  toCanonicalJson,
  toVerdict,
  type Verdict,
  VerificationError,
} from './formats/index.ts'
export {
  createMinimalCredential,
  currentUntpVersion,
  findContextBody,
  formatVocabulary,
  readProtectedTerms,
  type UntpVersionName,
  validateCertifiedContent,
  VerificationFetcher,
} from './contexts/index.ts'
export {
  checkConfiguredDomain,
  checkDomains,
  chooseDidWebDomain,
  type DidDocumentWarning,
  findDidDocumentWarning,
  readDidWebConfig,
} from './did-web/index.ts'
export {
  type CertificationSubject,
  createDetachedCredential,
  createRdfcForms,
  getCredentialAddress,
  getHostedForm,
  getPassportAddress,
  hashHostedContent,
  hostedFetchLimits,
  hostedMediaTypes,
  issueCredentials,
  type IssuedCredential,
  type StoredCredential,
} from './credentials/index.ts'
export { findContent, saveContent } from './storage/index.ts'
export { ensureCertificationKey, lockKeys, readSigningKey, sealedKeyColumn } from './keys/index.ts'
export {
  createKeySettler,
  isKeyWaiting,
  listShownKeys,
  readShownKey,
  registerKeyOnNetwork,
  rehearseRevocation,
  rehearseRotation,
  type RehearsedRevocation,
  revokeOwnKey,
  rotateOwnKey,
} from './rotation/index.ts'
export {
  findStatusList,
  type ListedStatusList,
  listStatusLists,
  type StatusListPosition,
  type StatusPurpose,
  updateStatusBits,
} from './status-lists/index.ts'
export { canSecureRdf, type Cryptosuite, cryptosuites, prepareSuites, readSuites } from './suites/index.ts'
export {
  type CredentialFacts,
  parseSecuredCredential,
  type SecuredCredential,
  unknownCredentialFacts as unknownCredential,
  verifySecuredCredential,
} from './verify/index.ts'
export type { DidWebConfig } from './rotation/index.ts'
export type { CertificationKey, KeyRow } from './keys/index.ts'
