export { computeMerkleRoot } from './anchors.merkle.ts'
export { Anchor, findAnchorReceipt, settleAnchors } from './anchors.ts'
export { certifyJob } from './certify.jobs.ts'
export { parseCounts, runCertification } from './certify.run.ts'
export { startCertification } from './certify.ts'
export { createVersionSchema } from './credentials.schema.ts'
export {
  type CertificateFate,
  decideCertificateFate,
  recertifyPassport,
  recertifyPassports,
  recertifySheet,
} from './recertify.ts'
