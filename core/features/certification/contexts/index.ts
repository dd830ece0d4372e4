export {
  type ContextLoader,
  createCachingContextLoader,
  createContextLoader,
  createStoredContextLoader,
  fetchContext,
  findLocalDigestFunction,
  loadContextDigestFunction,
  loadForeignContext,
} from './contexts.loader.ts'
export { readProtectedTerms } from './contexts.protected.ts'
export { baseContext, coreTerms } from './contexts.terms.ts'
export {
  type ContextDocument,
  createContextDocument,
  findContextBody,
  findForeignContextBody,
  formatVocabulary,
  getContextAddress,
  insertContexts,
  isTermMapped,
  replaceForeignContext,
  validateCertifiedContent,
} from './contexts.ts'
export {
  addRevocationEntry,
  addStatusEntries,
  addUndefinedTermsContext,
  createCredential,
  createMinimalCredential,
  type Credential,
  type CredentialEnvelope,
  currentUntpVersion,
  type Issuer,
  type StatusPosition,
  type UntpVersionName,
  untpVersions,
} from './credential.ts'
export {
  createDigestFunction,
  type DigestFunction,
  matchDigests,
  parseMultibaseDigests,
  parseSriDigests,
} from './related.digests.ts'
export { type ExpansionAllowance, VerificationFetcher } from './verify.fetcher.ts'
