import type { Client } from 'tessera-client'
import { unwrap, type Stage } from './stage.ts'
import { callCards } from './cards.ts'
import { callImports } from './imports.ts'
import { callAccounts, callDeletion } from './loyalty.ts'
import { callAsPos } from './pos.ts'
import { callApplications, callKeys, callOrganizations } from './organization.ts'
import { callPassports, callSheets, callClaims } from './passports.ts'
import { callAsBuyer, callAsMember } from './people.ts'
import { callTransfers } from './transfers.ts'

/** Contests a GTIN that another published under. */
async function callGtins(api: Client, { takenGtin: gtin }: Stage): Promise<void> {
  await unwrap(
    api.POST('/v1/dpp/gtins/{gtin}/contest', { params: { path: { gtin } }, body: { reason: 'It is ours.' } }),
  )
}

/** Calls every operation of the document once at least. */
export async function callAll(stage: Stage): Promise<void> {
  const api = stage.createClient({ 'x-api-key': stage.key })
  await callAsMember(stage)
  await callApplications(api, stage)
  const sheet = await callSheets(api, stage)
  await callPassports(api, stage)
  const signedIn = await callAsBuyer(stage)
  const passport = await callClaims(api, sheet, signedIn)
  await callTransfers(stage, signedIn.buyer, passport)
  const account = await callAccounts(api, stage, signedIn.email)
  await callAsPos(api, stage, account)
  await callCards(api, signedIn.buyer, stage)
  await callImports(api, stage)
  await callGtins(api, stage)
  await callDeletion(api, account)
  await callKeys(api, stage)
  await callOrganizations(api)
}
