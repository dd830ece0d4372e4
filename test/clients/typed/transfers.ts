import type { Client } from 'tessera-client'
import { signInBuyer } from './people.ts'
import { asStream, assertThat, unwrap, type Stage } from './stage.ts'

/** Passes a passport on: one offer is taken back, another declined, the third accepted. @param owner of the passport */
export async function callTransfers(stage: Stage, owner: Client, passport: string): Promise<void> {
  const params = { path: { id: passport } }
  const offer = async (email: string) => {
    const made = await unwrap(owner.POST('/v1/dpp/passports/{id}/transfer', { params, body: { email } }))
    assertThat(made.status === 'open' && made.email === email, 'the offer waits for an answer')
  }
  await offer(stage.newEmail())
  await unwrap(owner.DELETE('/v1/dpp/passports/{id}/transfer', { params }))
  const withdrawn = await unwrap(owner.GET('/v1/dpp/passports/{id}/transfer', { params }))
  assertThat(withdrawn.status === 'withdrawn', 'the offer is taken back')
  const email = stage.newEmail()
  const taker = await signInBuyer(stage, email)
  const answer = async () => ({ params, body: { token: await stage.offerTokenFor(email) } })
  await offer(email)
  await unwrap(taker.POST('/v1/dpp/passports/{id}/transfer/decline', await answer()))
  const declined = await unwrap(owner.GET('/v1/dpp/passports/{id}/transfer', { params }))
  assertThat(declined.status === 'declined', 'the offer is declined')
  await offer(email)
  const { jobId } = await unwrap(taker.POST('/v1/dpp/passports/{id}/transfer/accept', await answer()))
  await unwrap(taker.GET('/v1/dpp/claim/{jobId}/status/sse', { params: { path: { jobId } }, ...asStream }))
  const passedOn = await unwrap(taker.GET('/v1/dpp/passports/{id}/transfer', { params }))
  assertThat(passedOn.status === 'completed' && passedOn.direction === 'received', 'the passport has a new owner')
}
