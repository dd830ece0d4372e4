import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { Context } from '../../../kernel/work.ts'
import { createLocalPortal } from './portal.links.ts'
import { createStripePortal } from './stripe/provider.ts'

/** Who asks for a portal, and where its page leads back to. */
export interface PortalRequest {
  caller: OrganizationCaller
  /** An address that was checked. */
  returnUrl: string
}

/** The address of a page where members of an organization look after its plan. */
export interface PortalAddress {
  url: string
  /** Until when it can be opened, RFC 3339. */
  expiresAt: string
}

/** What collects the money of organizations. */
export interface BillingProvider {
  /** Creates the address of a page, for one visit. @throws UnavailableError if the provider does not answer */
  createPortal(context: Context, request: PortalRequest): Promise<PortalAddress>
}

/** Our own page, for platforms that collect no money themselves. */
const localProvider: BillingProvider = { createPortal: createLocalPortal }

const stripeProvider: BillingProvider = { createPortal: createStripePortal }

/** Returns the provider that the settings name: Stripe if there is a key for it. */
export const getBillingProvider = ({ settings }: Context): BillingProvider =>
  settings.stripeSecretKey === undefined ? localProvider : stripeProvider
