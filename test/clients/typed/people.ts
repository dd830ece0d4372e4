import type { Client } from 'tessera-client'
import { callPeople, callSignUp } from './organization.ts'
import { assertThat, unwrap, type Stage } from './stage.ts'

/** Signs a member in with a new code. @returns a client of the session */
async function signIn(stage: Stage, email = stage.owner): Promise<Client> {
  const anyone = stage.createClient({})
  await unwrap(anyone.POST('/v1/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } }))
  const otp = await stage.codeFor(email)
  const { token } = await unwrap(anyone.POST('/v1/auth/sign-in/email-otp', { body: { email, otp } }))
  return stage.createClient({ authorization: `Bearer ${token}` })
}

/** Everything about the sessions of a member. */
export async function callAsMember(stage: Stage): Promise<void> {
  const [first, second, third] = [await signIn(stage), await signIn(stage), await signIn(stage)]
  const chosen = await unwrap(first.POST('/v1/auth/organization/set-active', { body: { organizationId: stage.organization } }))
  const session = await unwrap(first.GET('/v1/auth/session'))
  assertThat(session.organization?.id === chosen.id, 'the chosen organization is the active one')
  await callPeople(first, stage, (address) => signIn(stage, address))
  await callSignUp(stage.createClient({}), await signIn(stage, stage.newEmail()))
  const query = { pageSize: 5, sorters: first.toQuery([{ field: 'createdAt', order: 'desc' }]) }
  const { data: sessions, total } = await unwrap(first.GET('/v1/auth/sessions', { params: { query } }))
  assertThat(total === 3, 'three sessions are listed')
  const [newest] = sessions
  assertThat(newest !== undefined && !newest.current, 'the newest session comes first')
  await unwrap(first.DELETE('/v1/auth/sessions/{id}', { params: { path: { id: newest.id } } }))
  assertThat((await third.GET('/v1/auth/session')).response.status === 401, 'a session that was ended signs nothing')
  const { ended } = await unwrap(second.DELETE('/v1/auth/sessions'))
  assertThat(ended === 1, 'the others are ended')
  await unwrap(second.POST('/v1/auth/sign-out'))
}

/** Signs a buyer in. @returns a client of the session */
export async function signInBuyer(stage: Stage, email: string): Promise<Client> {
  const anyone = stage.createClient({})
  const receiver = { application: stage.application, type: 'email-otp', email } as const
  await unwrap(anyone.POST('/v1/auth/send-otp', { body: receiver }))
  const { token } = await unwrap(anyone.POST('/v1/auth/verify-otp', { body: { ...receiver, otp: await stage.codeFor(email) } }))
  return stage.createClient({ authorization: `Bearer ${token}` })
}

/** Signs a buyer in, in each way. @returns a client of the session, and the address that it is of */
export async function callAsBuyer(stage: Stage): Promise<{ buyer: Client; email: string }> {
  const anyone = stage.createClient({})
  const email = stage.newEmail()
  const query = { application: stage.application, redirect: '/me' }
  const byGoogle = await anyone.GET('/v1/auth/sign-in/google', { params: { query } })
  const byAuth0 = await anyone.GET('/v1/auth/sign-in/auth0', { params: { query } })
  assertThat(byGoogle.response.status === 422 && byAuth0.response.status === 422, 'neither is enabled here')
  return { buyer: await signInBuyer(stage, email), email }
}
