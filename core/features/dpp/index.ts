export { claimByContact, claimByToken, readClaimJob, settlePassports } from './claims/index.ts'
export {
  type CertificateStanding,
  findPassportByToken,
  forgetScans,
  type LabelledMember,
  type LabelledValue,
  listOwnedPassports,
  type OwnedPassport,
  type PassportPage,
  type PassportProof,
  type PassportView,
  readCredential,
  readPassportPage,
  readPassportView,
  readTokenView,
  recordScan,
  verifyCredential,
} from './public/index.ts'
export {
  addSearch,
  assignGtin,
  collectLinkTypes,
  createLinkContext,
  createLinkSet,
  createResolverDescription,
  findLink,
  findResolvedParents,
  formatScannedSearch,
  hasNoNumbers,
  type Link,
  type LinkContext,
  linkSetContext,
  parseLinkType,
  parseScannedNumbers,
  type PublishedPassports,
  type Publisher,
  resolveDigitalLink,
  type ResolvedPassport,
  type ScannedNumbers,
  scannedQuery,
} from './gs1/index.ts'
export { type DigitalLink, parseDigitalLink } from './content/index.ts'
export type { Passport, Withdrawal } from './passports/index.ts'
export { passportSink } from './bulk/index.ts'
export type { Check, Finding, Readiness, ReadinessSummary, Verification } from './readiness/index.ts'
export type { Anchor } from './certificates/index.ts'
export type { FieldDefinition, FieldType } from './fields/index.ts'
export type { MintJob, Ownership } from './tokens/index.ts'
export type { CredentialStatus } from './statuses/index.ts'
