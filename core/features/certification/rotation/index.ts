export { parseBareHost } from './did-web.domain.ts'
export { type CheckReason, DidWebCheck, DidWebConfig, DidWebDomain } from './did-web.schema.ts'
export {
  type DomainRow,
  findActiveDomain,
  findConfiguredDomain,
  findOtherHolder,
  isStillProven,
  lockDomain,
  maxMissingMs,
} from './domain-rows.ts'
export { issuerKeyOperations } from './issuer-keys.operations.ts'
export { rotateJob } from './keys.jobs.ts'
export { createKeyOperations } from './keys.operations.ts'
export { isKeyWaiting, listShownKeys, readShownKey } from './keys.present.ts'
export { registerKeyOnNetwork } from './keys.records.ts'
export { activatePublishedKey, revokeOwnKey, rotateOwnKey } from './keys.rotate.ts'
export { createKeySettler } from './keys.settle.ts'
export { notifyOwners } from './owners.ts'
export { rehearseRevocation, rehearseRotation, type RehearsedRevocation } from './preview/keys.preview.ts'
