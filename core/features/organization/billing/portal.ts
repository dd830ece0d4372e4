import type { MemberCaller, OrganizationCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem, createValidationProblem } from '../../../kernel/problem.ts'
import { getOwnOrigins } from '../../../kernel/request/origin.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { setPlan } from '../../../meters/index.ts'
import { isOrganizationOrigin } from '../../applications/index.ts'
import { recordAudit } from '../../audit/index.ts'
import { isSignedLink, type SignedLink } from '../../identity/index.ts'
import { assertKnownPlan } from '../plans.ts'
import { findOpenedLink, openLink, portalPurpose } from './portal.links.ts'
import { getBillingProvider, type PortalAddress } from './provider.ts'

/** The page that a portal leads back to, if nothing else was asked for. */
const defaultReturnPath = '/console/organization'

/**
 * Creates the address of a page where members look after the plan of the organization.
 * @param returnUrl where the page leads back to; the console if undefined
 * @throws VALIDATION_FAILED for an address that is neither ours nor on a proven domain of the organization;
 * UnavailableError if the provider does not answer
 */
export async function createPortalSession(
  context: Context,
  caller: OrganizationCaller,
  returnUrl?: string,
): Promise<PortalAddress> {
  const address = await checkReturnAddress(context, caller.organization, returnUrl)
  return getBillingProvider(context).createPortal(context, { caller, returnUrl: address })
}

async function checkReturnAddress(
  { db, settings }: Context,
  organization: string,
  returnUrl: string | undefined,
): Promise<string> {
  const url = URL.parse(returnUrl ?? defaultReturnPath, settings.baseUrl)
  const isAllowed =
    url !== null
    && /^https?:$/.test(url.protocol)
    && url.username === ''
    && url.password === ''
    && (getOwnOrigins(settings).has(url.origin)
      || (await isOrganizationOrigin(db, organization, url.origin, !settings.production)))
  if (isAllowed) return url.href
  const message = 'is neither a page of ours nor on a proven domain of the organization'
  throw createValidationProblem([{ path: 'returnUrl', code: 'not_allowed', message }])
}

type ActiveMember = MemberCaller & { organization: string }

/**
 * Opens the page of a link once, in a session of a member.
 * @returns where the page leads back to; `ended` if the link was opened before, or is older than 10 minutes
 * @throws NOT_FOUND for a link that we did not sign, or that is for somebody else
 */
export async function openPortal(
  context: Context,
  { organization, session }: ActiveMember,
  link: SignedLink,
): Promise<{ returnUrl: string } | 'ended'> {
  if (!isSignedLink(context, portalPurpose, link)) throw createNotFoundProblem()
  const opened = await openLink(context.db, { id: link.id, organization, session })
  if (!opened) throw createNotFoundProblem()
  return opened
}

/** Finds the page of a link that this session has opened. @throws NOT_FOUND if it has not, or too long ago */
export async function findOpenPortal(
  context: Context,
  { organization, session }: ActiveMember,
  link: SignedLink,
): Promise<{ returnUrl: string }> {
  const isSigned = isSignedLink(context, portalPurpose, link)
  const opened = isSigned ? await findOpenedLink(context.db, { id: link.id, organization, session }) : null
  if (!opened) throw createNotFoundProblem()
  return opened
}

/**
 * Puts the organization of a member on another plan, in development, where nothing is paid.
 * @throws NOT_FOUND elsewhere: a provider or an operator decides there
 * @throws VALIDATION_FAILED for an unknown plan
 */
export async function changePlan(work: Work, { organization, user }: ActiveMember, plan: string): Promise<void> {
  const { trx, context } = work
  if (!context.settings.development) throw createNotFoundProblem()
  assertKnownPlan(context.plans, plan)
  if (!(await setPlan(trx, organization, plan))) throw createNotFoundProblem()
  await recordAudit(trx, { actor: `member ${user}`, action: 'plan.set', subject: organization, details: { plan } })
  await context.identity.recordAct(work, organization, {
    action: 'plan.set',
    target: { kind: 'organization', id: organization },
    change: plan,
  })
}
