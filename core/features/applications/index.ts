export { Application } from './applications.model.ts'
export { findDefaultNetwork } from './applications.operations.ts'
export { ApplicationRef, type SignInMethod } from './applications.schema.ts'
export {
  createApplication,
  findApplication,
  findApplicationBySlug,
  readAnyApplication,
  readApplication,
} from './applications.ts'
export { listApplicationChoices, listApplicationIds, listEnabledSignInMethods } from './applications.views.ts'
export { findProvenOwner, readProvenDomain, readProvenDomains } from './domains/domains.owner.ts'
export { createOriginCheck, isApplicationOrigin, createProvenHostCheck } from './origins.ts'
export type { Theme } from './settings.schema.ts'
export { toPlainSlug } from './slugs.ts'
