export {
  claimByContact,
  claimByToken,
  createMagicToken,
  firstClaimsSql,
  type FormType,
  formTypes,
  type MagicToken,
  maxFormBytes,
  type OptInForm,
  readClaimJob,
  revokeMagicToken,
  settlePassports,
  storeOptInForm,
} from './claims/index.ts'
export {
  type CertificateStanding,
  decodePicture,
  findPassportByToken,
  forgetScans,
  type LabelledValue,
  labelOwnValues,
  labelProductValues,
  listOwnedPassports,
  type OwnedPassport,
  type PassportPage,
  type PassportProof,
  type PassportView,
  readCredential,
  readEmbeddedPicture,
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
export { type DigitalLink, getUntpFields, granularities, parseDigitalLink } from './content/index.ts'
export {
  countPassportsByStatus,
  deletePassport,
  listPassports,
  type NewPassport,
  type Passport,
  PassportPatch,
  passportSources,
  passportStatuses,
  readAllPassports,
  type Withdrawal,
} from './passports/index.ts'
export { findLogo, keepCard, readCard, readLogoForm, readServedForm, type ServedPicture } from './pictures/index.ts'
export { passportSink, validateImportedBody } from './bulk/index.ts'
export {
  createPassport,
  createSheet,
  deleteSheet,
  type PassportAct,
  passportActs,
  type PassportState,
  previewPassportDeletion,
  previewSheetDeletion,
  readMigrationJob,
  readPassportState,
  updatePassport,
  updateSheet,
} from './drafts/index.ts'
export { type HistoryEntry, listHistory } from './history/index.ts'
export {
  acceptOffer,
  declineOffer,
  findLinkedOffer,
  isTransferable,
  type ListedOffer,
  listOwnOffers,
  offerDays,
  offerPassport,
  withdrawOffer,
} from './offers/index.ts'
export { previewCertify, previewPublish, previewRemoval, startPublish, startRemoval } from './publishing/index.ts'
export {
  type Check,
  type Finding,
  type Readiness,
  type ReadinessSummary,
  readReadiness,
  severities,
  summarizeReadinessPage,
  type Verification,
} from './readiness/index.ts'
export { type Anchor, findAnchorReceipt, readKeyUse, startCertification } from './certificates/index.ts'
export { type FieldDefinition, type FieldType, fieldTypes, isValueRequired } from './fields/index.ts'
export {
  listSheetChoices,
  listSheets,
  readAllSheets,
  readOrganizationStats,
  readOwnSheet,
  readOwnSheetStats,
  readSheet,
  readSheetTitles,
  type Sheet,
  type SheetRow,
  type SheetsStats,
  type SheetStats,
  type SheetStatus,
  type SheetTitle,
  sheetStatuses,
} from './sheets/index.ts'
export {
  listOwnership,
  maxRows as maxMintRows,
  type MintJob,
  type Ownership,
  previewMint,
  readMintJob,
  readMintView,
  startMint,
} from './tokens/index.ts'
export {
  forgetReporters,
  handleReport,
  listReports,
  maxReportLength,
  parseReport,
  type PassportReport,
  type ReportForm,
  type ReportKind,
  reportKinds,
  reportPassport,
} from './reports/index.ts'
export {
  type ClaimRequest,
  decideRequest,
  forgetRequesters,
  listRequests,
  maxRequestLength,
  requestPassport,
  type RequestStatus,
} from './requests/index.ts'
export { type CredentialStatus, previewStatusChange, setStatus, type StatusChange } from './statuses/index.ts'
export { iteratePublicModels, listPublicModelPages, type PublicModelPlace } from './passports/index.ts'
export { findPublishedPassport, type FoundPassport, type PassportSearch, searchPassports } from './passports/index.ts'
