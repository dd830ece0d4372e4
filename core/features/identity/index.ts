export {
  createOrganizationKey,
  listApiKeys,
  listExpiringKeys,
  overlapHours,
  readApiKey,
  revokeOrganizationKey,
  rotateApiKey,
  type ListedKey,
} from './keys/organization-keys.ts'
export { readCredentialLabels } from './keys/credential-labels.ts'
export {
  createApiKey,
  parseKeyScope,
  parsePermissions,
  revokeApiKey,
  type CreatedApiKey,
  type NewApiKey,
} from './keys/api-keys.ts'
export { getLibraryRoutes, hashContact, type AuthContext } from './auth.ts'
export { createIdentity } from './identity.ts'
export { identityOperations } from './identity.operations.ts'
export { hashSecret, createApiKeySecret } from './keys/keys.ts'
export { addMember, createOrganization, setSuperAdmin, type NewOrganization } from './organizations/organizations.ts'
export {
  deleteOrganization,
  listDeletedOrganizations,
  restoreDays,
  restoreOrganization,
  type DeletedOrganization,
} from './organizations/organizations.deletion.ts'
export {
  createPresentCondition,
  finishErasure,
  listOrganizationsToErase,
  lockForErasure,
} from './organizations/organizations.erasure.ts'
export { sealedOrganizationSecrets } from './organizations/organizations.secrets.ts'
export { createInitialSettings, type StoredSettings } from './organizations/organizations.settings.ts'
export { acceptDocuments, listAcceptances, listMissingDocuments, readAudience } from './legal/acceptances.ts'
export { findDocument } from './legal/documents.ts'
export type { Acceptance, LegalDocument } from './legal/legal.schema.ts'
export { changeOrganization, readOrganization } from './organizations/organizations.changes.ts'
export {
  organizationZonesSql,
  readOrganizationDays,
  type OrganizationDays,
} from './organizations/organizations.days.ts'
export { signUpOrganization } from './organizations/organizations.creation.ts'
export { createMailBudgets, formatPlainName } from './invitations/invitations.mail.ts'
export type { Invitation } from './invitations/invitations.schema.ts'
export {
  acceptInvitation,
  declineInvitation,
  invitePerson,
  listInvitations,
  readOwnInvitation,
  withdrawInvitation,
} from './invitations/invitations.ts'
export type { Member } from './members/members.schema.ts'
export { changeRole, listMembers, readMember, removeMember } from './members/members.ts'
export type { Membership } from './identity.schema.ts'
export { chooseOrganization, readMemberships, createSessionCookie, readSessionUser, signOut } from './sessions.ts'
export { endOtherSessions, endOwnSession, endSessionsOfUser, listSessions } from './sessions/list.ts'
export { assertCodeFresh, isCodeFresh } from './sessions/fresh-code.ts'
export { isSignInFresh, renewSignIn } from './sessions/fresh-sign-in.ts'
export type { ListedSession } from './sessions/list.schema.ts'
export { isSignedLink, signLink, type SignedLink } from './sessions/signed-links.ts'
export { ensureKnownUser, type KnownPerson } from './sign-in/known-people.ts'
export { ProviderSignInError, type ProviderFailure } from './providers/failures.ts'
export { finishProviderSignIn, getCallbackAddress } from './providers/provider-sign-in.ts'
export { offersGoogle, providerNames, type ProviderName } from './providers/providers.ts'
export { parseAddress } from './addresses.ts'
export { countSend, type SendBudget } from './sign-in/code-sends.ts'
export { sendBuyerCode, sendMemberCode, signInBuyer, signInMember } from './sign-in.ts'
