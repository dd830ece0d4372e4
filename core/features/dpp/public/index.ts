export { credentialOperations } from './credentials.operations.ts'
export { readCredential } from './credentials.ts'
export { type CertificateStanding, type PassportPage, type PassportProof, readPassportPage } from './page-proof.ts'
export { listOwnedPassports, type OwnedPassport } from './page-owned.ts'
export type { LabelledValue } from './page-values.ts'
export {
  findPassportByToken,
  labelOwnValues,
  type PassportView,
  readPassportView,
  readTokenView,
} from './page-views.ts'
export { decodePicture, labelProductValues, readEmbeddedPicture } from './page-product.ts'
export { forgetScans, recordScan } from './scans.ts'
export { verifyOperations } from './verify.operations.ts'
export { servedTask, verifyServedBytes } from './verify.served.ts'
export { verifyCredential } from './verify.ts'
