import { listApplicationChoices } from '../../../features/applications/index.ts'
import { cardChannels } from '../../../features/accounts/index.ts'
import { readShownCredentials } from '../../../features/loyalty/index.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { isGiven, type QueryText } from '../frame/lists.ts'
import type { ApplicationChoice } from '../frame/lists.views.ts'

/**
 * Lists the applications of the organization, and the one that a page is about: the first if none is wanted.
 * @throws NOT_FOUND for an application of another organization
 */
export async function listApplicationsOf({ member, work }: ConsolePage, wanted: QueryText) {
  const applications = await listApplicationChoices(work.trx, member.organization)
  const chosen = isGiven(wanted) ? applications.find(({ id }) => id === wanted.toLowerCase()) : applications[0]
  if (isGiven(wanted) && !chosen) throw createNotFoundProblem()
  return { applications, chosen: chosen ?? null }
}

/** An application, and whether it has credentials of any wallet. */
export interface ApplicationWallets {
  application: ApplicationChoice
  isConnected: boolean
  /** Whether cards of Apple Wallet work without credentials, in development. */
  hasOwnWallet: boolean
}

/** Reads whether an application is connected to a wallet. */
export async function readWallets({ work }: ConsolePage, { id, name }: ApplicationChoice): Promise<ApplicationWallets> {
  const credentials = await Promise.all(cardChannels.map((channel) => readShownCredentials(work, id, channel)))
  return {
    application: { id, name },
    isConnected: credentials.some(({ isConfigured }) => isConfigured),
    hasOwnWallet: !work.context.settings.production,
  }
}
