import type { Context } from '../../../../kernel/work.ts'
import type { PortalAddress, PortalRequest } from '../provider.ts'
import { createPortalPage } from './client.ts'
import { ensureCustomer } from './customers.ts'

/** How long the provider's page can be opened, in milliseconds. Source: Stripe, customer portal, "session". */
const pageMs = 5 * 60_000

/** Creates the address of the provider's page for the organization, which is its customer from then on. */
export async function createStripePortal(
  context: Context,
  { caller, returnUrl }: PortalRequest,
): Promise<PortalAddress> {
  const customer = await ensureCustomer(context, caller.organization)
  const { url, createdAt } = await createPortalPage(context.settings, { customer, returnUrl })
  return { url, expiresAt: new Date(createdAt.getTime() + pageMs).toISOString() }
}
