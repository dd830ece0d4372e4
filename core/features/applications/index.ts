export { networkNames, networks } from '../../chains/networks.ts'
export { Application } from './applications.model.ts'
export { rehearseApplicationDeletion, removeApplication } from './applications.deletion.ts'
export {
  addApplication,
  changeApplication,
  findDefaultNetwork,
  listApplications,
  type ApplicationContributions,
} from './applications.own.ts'
export {
  applicationFeatures,
  ApplicationPatch,
  ApplicationRef,
  type ApplicationFeature,
  type ApplicationShape,
  type ApplicationView,
  type SignInMethod,
} from './applications.schema.ts'
export {
  applicationEntity,
  holdOwnApplication,
  createApplication,
  findApplication,
  findApplicationBySlug,
  readAnyApplication,
  readApplication,
} from './applications.ts'
export {
  isFeatureUsed,
  listApplicationChoices,
  listApplicationIds,
  readApplicationNames,
  listEnabledSignInMethods,
  presentApplicationTo,
} from './applications.views.ts'
export { checkDomain, listDomains } from './domains/domains.ts'
export type { DomainProof, ProofFailure } from './domains/domains.schema.ts'
export { findProvenOwner, readProvenDomain, readProvenDomains } from './domains/domains.owner.ts'
export { createOriginCheck, isApplicationOrigin, isOrganizationOrigin, createProvenHostCheck } from './origins.ts'
export {
  adjustColour,
  findTextColour,
  formatColour,
  getPapers,
  listContrasts,
  getMode,
  listSchemes,
  parseColour,
  type ColourContrast,
  type Papers,
  type Scheme,
} from './themes/colours.ts'
export { mayHideFooter } from './themes/footer.ts'
export { starts } from './themes/starts.ts'
export { chooseLanguage, findText } from './themes/texts.ts'
export {
  fontFamilies,
  lookNames,
  sectionNames,
  textLengths,
  textNames,
  type FontFamily,
  type LookName,
  type SectionName,
  type TextName,
  type Theme,
} from './themes/theme.schema.ts'
export { getCampaignLimits } from './settings.ts'
export { toPlainSlug } from './slugs.ts'
