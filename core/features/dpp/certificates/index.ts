export { Anchor, findAnchorReceipt, settleAnchors } from './anchors.ts'
export {
  countCertificates,
  countVersions,
  passportAnchorsSql,
  passportVersionsSql,
  readKeyUse,
} from './certificates.store.ts'
export { certifyJob } from './certify.jobs.ts'
export { classifyUnits, readPassportRows, readSheets } from './certify.chunk.ts'
export { parseCounts, runCertification } from './certify.run.ts'
export { selectForCertification, startCertification } from './certify.ts'
export { createVersionSchema } from './credentials.schema.ts'
export {
  type CertificateFate,
  decideCertificateFate,
  recertifyPassport,
  recertifyPassports,
  recertifySheet,
} from './recertify.ts'
