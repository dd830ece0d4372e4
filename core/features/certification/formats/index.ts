export { createCid } from './cid.ts'
export { type CertifiedContent, hashContent, parseCertifiedContent, toCanonicalJson, toSha256Hex } from './content.ts'
export { type CredentialMediaType, credentialMediaTypes, negotiateMediaType } from './media-types.ts'
export { parseDateTimeStamp } from './model.times.ts'
export { addressPattern, isLanguageTag, isMediaType, isTerm, isUrl } from './model.values.ts'
export { decodeBase58, parseEd25519Multikey, toMultikey } from './multikey.ts'
export {
  type CheckResult,
  combineOutcomes,
  getWorstError,
  IssuerVerificationError,
  type JsonObject,
  runCheck,
  type SecuredCheck,
  toList,
  toVerdict,
  type Verdict,
  VerificationError,
} from './verify.checks.ts'
export { isObject } from '../../../kernel/json/values.ts'
