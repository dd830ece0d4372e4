import type { ApplicationContributions } from '../features/applications/index.ts'
import type { Operation } from '../kernel/operation.ts'
import { assetOperations } from './site/assets.ts'
import { fontOperations } from './site/fonts.ts'
import { logoOperations } from './mails/logo.ts'
import { applicationPages } from './console/applications/applications.ts'
import { createApplicationSettingsPages } from './console/applications/settings.ts'
import { createBrandingPages } from './console/branding/branding.ts'
import { optInPages } from './console/branding/opt-in.ts'
import { previewPages } from './console/branding/preview.ts'
import { walletCredentialPages } from './console/branding/wallets/wallets.ts'
import { certificationPages } from './console/certification/certification.ts'
import { certificationDomainPages } from './console/certification/domain.ts'
import { certificationKeyPages } from './console/certification/keys.ts'
import { accountListPages } from './console/loyalty/accounts.ts'
import { accountPages } from './console/loyalty/account.ts'
import { assignmentPages } from './console/loyalty/assignments/assignments.ts'
import { assignmentImportPages } from './console/loyalty/assignments/import.ts'
import { assistantPages } from './console/assistant/assistant.ts'
import { demoPages } from './console/demo/demo.ts'
import { developerPages } from './console/developers/developers.ts'
import { campaignPages } from './console/campaigns/index.ts'
import { claimRequestPages } from './console/claim-requests/claim-requests.ts'
import { reportPages } from './console/reports/reports.ts'
import { searchPages } from './console/search/search.ts'
import { eventPages } from './console/events/events.ts'
import { languagePages } from './console/frame/frame.ts'
import { orderPages } from './console/loyalty/orders/orders.ts'
import { pointOfSalePages } from './console/loyalty/points-of-sale/points-of-sale.ts'
import { posSettingsPages } from './console/loyalty/points-of-sale/pos-settings.ts'
import { tierPages } from './console/loyalty/tiers/tiers.ts'
import { auditPages } from './console/audit/audit.ts'
import { claimOperations } from './claim/claim.ts'
import { docsPages } from './docs/docs.ts'
import { frontPages } from './front/front.ts'
import { importPages } from './console/imports/imports.ts'
import { planPages } from './console/billing/plans.ts'
import { billingPages } from './console/billing/portal.ts'
import { legalPages } from './legal/legal.ts'
import { mePages } from './me/me.ts'
import { ownWalletPages } from './me/wallets.ts'
import { callbackPages } from './sign-in/callback.ts'
import { mappingPages } from './console/imports/mappings/mapping.ts'
import { mappingListPages } from './console/imports/mappings/mappings.ts'
import { newImportPages } from './console/imports/new/new.ts'
import { keyPages } from './console/keys/keys.ts'
import { documentPages } from './console/organization/documents.ts'
import { newOrganizationPages } from './console/organization/new.ts'
import { deletionPages } from './console/organization/deletion.ts'
import { settingsPages } from './console/organization/settings.ts'
import { consolePassportPages } from './console/passports/index.ts'
import { sheetEditorPages } from './console/sheets/editor.ts'
import { sheetMintPages } from './console/sheets/mint.ts'
import { sheetPages } from './console/sheets/sheet.ts'
import { sheetListPages } from './console/sheets/sheets.ts'
import { sheetValuePages } from './console/sheets/values.ts'
import { outboxOperations } from './console/outbox.ts'
import { passportPages } from './passport/passport.ts'
import { passportReportPages } from './passport/report.ts'
import { resolverOperations } from './passport/resolver.ts'
import { invitationPages } from './console/people/invitation.ts'
import { memberPages } from './console/people/members.ts'
import { freshSignInPages } from './console/fresh-sign-in/again.ts'
import { guardPages } from './console/fresh-sign-in/guard.ts'
import { sessionPages } from './console/sessions.ts'
import { homePages } from './console/home/home.ts'
import { signInOperations } from './console/sign-in.ts'
import { transferPages } from './transfer/link.ts'
import { passportOfferPages } from './transfer/offer.ts'
import { tokenMetadata } from './passport/token.ts'

export { problemPages } from './mistakes/mistakes.ts'

/** Creates the operations of all pages for people. `shared`: what areas have of an application that is changed or deleted. */
export const createPageOperations = (shared: ApplicationContributions): Operation[] =>
  guardPages([
    ...assetOperations,
    ...fontOperations,
    ...logoOperations,
    ...frontPages,
    ...passportPages,
    ...passportReportPages,
    ...passportOfferPages,
    tokenMetadata,
    ...resolverOperations,
    ...claimOperations,
    ...transferPages,
    ...mePages,
    ...ownWalletPages,
    ...callbackPages,
    ...docsPages,
    ...homePages,
    ...signInOperations,
    ...freshSignInPages,
    ...sessionPages,
    ...legalPages,
    ...documentPages,
    ...newOrganizationPages,
    ...settingsPages,
    ...billingPages,
    ...planPages,
    ...deletionPages,
    ...applicationPages,
    ...createApplicationSettingsPages(shared),
    ...createBrandingPages(shared),
    ...previewPages,
    ...optInPages,
    ...walletCredentialPages,
    ...memberPages,
    ...keyPages,
    ...auditPages,
    ...invitationPages,
    ...newImportPages,
    // Before the page of one import, whose id may be any word.
    ...mappingListPages,
    ...mappingPages,
    ...importPages,
    ...consolePassportPages,
    ...accountListPages,
    ...accountPages,
    ...tierPages,
    // Before the pages of one point of sale, whose id may be any word.
    ...posSettingsPages,
    ...pointOfSalePages,
    ...orderPages,
    ...assignmentImportPages,
    ...assignmentPages,
    ...campaignPages,
    ...assistantPages,
    ...demoPages,
    ...developerPages,
    ...eventPages,
    ...reportPages,
    ...claimRequestPages,
    ...searchPages,
    // The list and the form for a new sheet come before the single sheet, whose path would match them too.
    ...sheetListPages,
    ...sheetEditorPages,
    ...sheetPages,
    ...sheetValuePages,
    ...sheetMintPages,
    ...certificationPages,
    ...certificationKeyPages,
    ...certificationDomainPages,
    ...languagePages,
    ...outboxOperations,
  ])
